package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// FuzzHead reads hostile requests. Each accepted request has a normalised host, and the server
// would get exactly one request, for that host.
func FuzzHead(f *testing.F) {
	for _, tc := range refusalsOfHTTP {
		f.Add(tc.sent)
	}
	for _, seed := range []string{
		"GET http://a.example/x?y HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n",
		"POST http://a.example:81/ HTTP/1.1\r\nContent-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\n\r\n",
		"POST http://[::1]:80/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n4\r\nbody\r\n0\r\nX: y\r\n\r\n",
		"GET http://a.example/ HTTP/1.1\r\nX: a\r\n Host: b\r\nContent-Length : 5\r\n\r\n",
		"GET http://a.example\x00/ HTTP/1.1\r\nConnection: Host, Content-Length\r\nContent-Length: 0\r\n\r\n",
		"OPTIONS http://a.example HTTP/1.1\r\n\r\n",
	} {
		f.Add(seed)
	}
	s := &server{Proxy: &Proxy{}}
	f.Fuzz(func(t *testing.T, sent string) {
		req, _, failed := readRequest(bufio.NewReaderSize(strings.NewReader(sent), maxHead))
		if failed != nil || req == nil {
			return
		}
		if req.Method == http.MethodConnect {
			if to, failed := parseTarget(req.RequestURI); failed == nil {
				checkTarget(t, to)
			}
			return
		}
		to, failed := plainRequest(req)
		if failed != nil {
			return
		}
		checkTarget(t, to)
		var out bytes.Buffer
		if s.send(&out, req, to) != nil {
			return // its body is malformed
		}
		r := bufio.NewReader(bytes.NewReader(out.Bytes()))
		got, err := http.ReadRequest(r)
		if err != nil {
			t.Fatalf("%q became %q: %v", sent, out.String(), err)
		}
		if _, err := io.Copy(io.Discard, got.Body); err != nil {
			t.Errorf("the body of %q: %v", out.String(), err)
		}
		if rest, _ := io.ReadAll(r); len(rest) > 0 {
			t.Errorf("%q became two requests: %q", sent, out.String())
		}
		if got.Host != strings.TrimSuffix(to.String(), ":80") || got.URL.EscapedPath() != to.Path {
			t.Errorf("%q became %q for %v", sent, out.String(), to)
		}
		for name := range got.Header {
			if strings.HasPrefix(name, "Proxy-") {
				t.Errorf("%q keeps %s", sent, name)
			}
		}
	})
}

// checkTarget fails if a host is not in the form that rules are compared with.
func checkTarget(t *testing.T, to permit.Connection) {
	t.Helper()
	again, problem := permit.HostName(to.Host)
	if problem != "" || again != to.Host || to.Port == 0 {
		t.Errorf("the target %v becomes %q: %s", to, again, problem)
	}
	if strings.Trim(to.Host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") != "" {
		t.Errorf("the target is %q", to.Host)
	}
}
