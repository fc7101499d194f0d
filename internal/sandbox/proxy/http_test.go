package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// echo answers with what it got.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", fmt.Sprint(r.Header["Proxy-Authorization"], r.Header["User-Agent"]))
	fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.URL, body)
}

func get(t *testing.T, c *http.Client, req *http.Request) string {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("X-Seen"), body)
}

func request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// The usual programs: plain HTTP, HTTPS by CONNECT, and both by SOCKS5.
func TestClientsThroughTheProxy(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(echo))
	defer plain.Close()
	secured := httptest.NewTLSServer(http.HandlerFunc(echo))
	defer secured.Close()
	httpPort, httpsPort := portOf(plain.URL), portOf(secured.URL)
	addr := onTCP(t, newProxy(t, options(t, "a.example"+httpPort+" example.com"+httpsPort)))
	for _, scheme := range []string{"http://u:secret@", "socks5h://"} {
		t.Run(scheme, func(t *testing.T) {
			for _, tc := range []struct {
				s    *httptest.Server
				req  *http.Request
				want string
			}{
				{plain, request(t, "GET", "http://a.example"+httpPort+"/x%2Fy?q=1", ""), "200 [] [me] GET a.example" + httpPort + " /x%2Fy?q=1 "},
				{plain, request(t, "POST", "http://a.example"+httpPort+"/", "body"), "200 [] [me] POST a.example" + httpPort + " / body"},
				{secured, request(t, "POST", "https://example.com"+httpsPort+"/z", "body"), "200 [] [me] POST example.com" + httpsPort + " /z body"},
			} {
				tc.req.Header.Set("User-Agent", "me")
				if got := get(t, through(t, scheme+addr, tc.s), tc.req); got != tc.want {
					t.Errorf("%s %s: %q, want %q", tc.req.Method, tc.req.URL, got, tc.want)
				}
			}
		})
	}
}

// A body of unknown length goes through in pieces, as they come.
func TestStreamsArriveAsTheyAreSent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		piece := make([]byte, 1)
		for {
			if _, err := r.Body.Read(piece); err != nil {
				return
			}
			_, _ = w.Write(piece)
			_ = control.Flush()
		}
	}))
	defer s.Close()
	addr := onTCP(t, newProxy(t, options(t, "a.example"+portOf(s.URL))))
	up, writeUp := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://a.example"+portOf(s.URL)+"/", up)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(writeUp, "a") }()
	resp, err := through(t, "http://"+addr, s).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, piece := range []string{"a", "b", "c"} {
		expect(t, resp.Body, piece)
		if piece != "c" {
			write(t, writeUp, string(piece[0]+1))
		}
	}
	writeUp.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("the rest is %q, %v", rest, err)
	}
}

// The server gets a request of this proxy: the host of the address, no headers of the
// connection, one request.
func TestWhatTheServerGets(t *testing.T) {
	o := newOrigin(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: x\r\nConnection: X-Hop\r\nX-Hop: 1\r\nProxy-Authenticate: Basic\r\nX-Kept: 1\r\n\r\nok")
	addr := onTCP(t, newProxy(t, options(t, "a.example"+o.port)))
	to := "http://A.Example." + o.port + "/p"
	const tail = "Connection: close\r\n\r\n"
	head := " /p HTTP/1.1\r\nHost: a.example" + o.port + "\r\n"
	for _, tc := range []struct{ name, sent, want string }{
		{"another Host header", "GET " + to + " HTTP/1.1\r\nHost: evil.example\r\n\r\n", "GET" + head + tail},
		{"no Host header", "GET " + to + " HTTP/1.0\r\n\r\n", "GET" + head + tail},
		{
			"headers of the connection", "GET " + to + " HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c2VjcmV0\r\nproxy-connection: keep-alive\r\nProxy-X: 1\r\n" +
				"Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Kept: 1\r\n\r\n",
			"GET" + head + "Connection: close\r\nX-Kept: 1\r\n\r\n",
		},
		{"a length", "PUT " + to + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyGET http://evil.example/ HTTP/1.1\r\n\r\n", "PUT" + head + "Connection: close\r\nContent-Length: 4\r\n\r\nbody"},
		{
			"chunks", "PUT " + to + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nbo\r\n2\r\ndy\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
			"PUT" + head + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
		},
		{"a fragment", "GET " + to + "#x HTTP/1.1\r\nHost: x\r\n\r\n", "GET /p%23x" + head[len(" /p"):] + tail},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := exchange(t, addr, tc.sent)
			got := o.all()
			if tc.name == "chunks" { // their borders are free
				got = got[:min(len(got), len(tc.want))]
			}
			if got != tc.want {
				t.Errorf("the server got %q, want %q", got, tc.want)
			}
			if want := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nX-Kept: 1\r\n\r\nok"; !sameHeaders(answer, want) {
				t.Errorf("the client got %q, want %q", answer, want)
			}
		})
	}
}

// sameHeaders compares two answers, whatever the order of headers.
func sameHeaders(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for line := range strings.SplitSeq(b, "\r\n") {
		if !strings.Contains(a, line) {
			return false
		}
	}
	return true
}

// A client that waits for the interim response sends its body after it.
func TestExpectContinue(t *testing.T) {
	o := newOrigin(t, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
	c := open(t, onTCP(t, newProxy(t, options(t, "a.example"+o.port))))
	write(t, c, "PUT http://a.example"+o.port+"/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
	expect(t, c, "HTTP/1.1 100 Continue\r\n\r\n")
	write(t, c, "body")
	expect(t, c, "HTTP/1.1 204 No Content\r\n")
	if got := o.all(); !strings.HasSuffix(got, "\r\n\r\nbody") || strings.Contains(got, "Expect") {
		t.Errorf("the server got %q", got)
	}
}

// An invalid response of a server becomes status 502 with the reason, and a response that is cut off
// does not look complete.
func TestBadResponses(t *testing.T) {
	const failed, allowed = "HTTP/1.1 502 no response of a.example:PORT: ", "allow this host.\n"
	for _, tc := range []struct{ name, response, want, end string }{
		{"none", "", failed, allowed},
		{"nonsense", "hello\r\n\r\n", failed, allowed},
		{"a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", failed + "it changes the protocol", allowed},
		{"only interim ones", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 9), failed + "it sends only interim responses", allowed},
		{"a long head", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10) + "\r\n\r\n", failed + "its head has more than 256 KiB", allowed},
		{"a status that is not a number", "HTTP/1.1 abc OK\r\n\r\n", failed, allowed},
		{"until the end", "HTTP/1.0 200 OK\r\n\r\nbody", "HTTP/1.1 200 OK\r\n", "\r\n0\r\n\r\n"},
		{"cut off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n", "HTTP/1.1 200 OK\r\n", "4\r\nbody\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := newOrigin(t, tc.response)
			addr := onTCP(t, newProxy(t, options(t, "a.example"+o.port)))
			got := exchange(t, addr, "GET http://a.example"+o.port+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
			want := strings.Replace(tc.want, ":PORT", o.port, 1)
			if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, tc.end) {
				t.Errorf("the client got %q, want %q … %q", got, want, tc.end)
			}
		})
	}
}
