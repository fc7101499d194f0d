package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
)

// patience bounds what is waited for in a test that cannot run in a synctest bubble.
const patience = 20 * time.Second

// rules returns the rules for lists of hosts.
func rules(t testing.TB, allowed, blocked string) permit.Rules {
	t.Helper()
	allow, err := permit.HostRules(strings.Fields(allowed), "allowedHosts")
	if err != nil {
		t.Fatal(err)
	}
	deny, err := permit.HostRules(strings.Fields(blocked), "blockedHosts")
	if err != nil {
		t.Fatal(err)
	}
	return permit.Rules{Allow: allow, Deny: deny}
}

// with adds rules as the command line writes them.
func with(t testing.TB, r permit.Rules, texts ...string) permit.Rules {
	t.Helper()
	for _, text := range texts {
		rule, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r = r.With(rule)
	}
	return r
}

// options allow hosts, and addresses of this machine.
func options(t testing.TB, allowed string) Options {
	return Options{Decide: rules(t, allowed, "").Connect, AllowLocalNetwork: true}
}

// newProxy returns a proxy for which every name is this machine.
func newProxy(t testing.TB, o Options) *Proxy {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	p.connector.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return p
}

// serve serves a listener until the test ends.
func serve(t testing.TB, p *Proxy, l net.Listener) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// onTCP serves a proxy on this machine and returns its address.
func onTCP(t testing.TB, p *Proxy) string {
	t.Helper()
	l := listen(t)
	serve(t, p, l)
	return l.Addr().String()
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// inMemory serves a proxy on a listener of the synctest bubble. The caller ends it.
func inMemory(t testing.TB, p *Proxy) (l *dialtest.Listener, end func()) {
	t.Helper()
	l = dialtest.NewListener()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	return l, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

// open connects to a proxy.
func open(t testing.TB, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// exchange sends text to a proxy and returns everything that it answers.
func exchange(t testing.TB, addr, text string) string {
	t.Helper()
	c := open(t, addr)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("the answer to %q ends with %v", text, err)
	}
	return string(answer)
}

// expect reads text from a connection.
func expect(t testing.TB, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	n, err := io.ReadFull(r, got)
	if string(got[:n]) != want {
		t.Fatalf("read %q, %v, want %q", got[:n], err, want)
	}
}

func write(t testing.TB, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatalf("writing %q: %v", text, err)
	}
}

// portOf returns the port of a server, with the colon.
func portOf(address string) string { return address[strings.LastIndexByte(address, ':'):] }

// origin is a server that records what it gets.
type origin struct {
	port string // with the colon

	mu   sync.Mutex // guards seen
	seen []string
}

// newOrigin starts a server that answers each connection with response, once it has read a
// request with its body.
func newOrigin(t testing.TB, response string) *origin {
	t.Helper()
	l := listen(t)
	o := &origin{port: portOf(l.Addr().String())}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { o.answer(c, response) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return o
}

func (o *origin) answer(c net.Conn, response string) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	var seen strings.Builder
	r := bufio.NewReader(io.TeeReader(c, &seen))
	req, err := http.ReadRequest(r)
	if err == nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	o.mu.Lock()
	o.seen = append(o.seen, seen.String())
	o.mu.Unlock()
	_, _ = io.WriteString(c, response)
}

// all returns what arrived, and forgets it.
func (o *origin) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := strings.Join(o.seen, "\n---\n")
	o.seen = nil
	return seen
}

// through returns a client that uses a proxy and trusts a test server.
func through(t testing.TB, proxy string, s *httptest.Server) *http.Client {
	t.Helper()
	at, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}
	if inner, ok := s.Client().Transport.(*http.Transport); ok && inner.TLSClientConfig != nil {
		tr.TLSClientConfig = inner.TLSClientConfig.Clone()
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}
