package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// company is a proxy with a password. Its tunnels lead back.
func company(t *testing.T, secured bool) (at *url.URL, s *httptest.Server, seen func() []string) {
	var requests []string
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		if r.Header.Get("Proxy-Authorization") != "Basic dTpzZWNyZXQ=" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			_, _ = io.WriteString(w, "plain")
			return
		}
		c, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\ntunnel of ")
		_, _ = io.Copy(c, buffered) // until the client has no more
	})
	s = httptest.NewUnstartedServer(answer)
	if secured {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	at = parse(t, s.URL)
	at.User = url.UserPassword("u", "secret")
	return at, s, func() []string { return requests }
}

// The upstream proxy gets the password of the user, and no client does.
func TestUpstream(t *testing.T) {
	for _, secured := range []bool{false, true} {
		at, s, seen := company(t, secured)
		p := newProxy(t, Options{Decide: rules(t, "a.example", "").Connect, Upstream: at})
		if secured {
			p.upstream.tls.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		addr := onTCP(t, p)
		c := open(t, addr)
		write(t, c, "CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: Basic b3RoZXI=\r\n\r\nall")
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || string(got) != "HTTP/1.1 200 Connection established\r\n\r\ntunnel of all" {
			t.Errorf("a tunnel: %q, %v", got, err)
		}
		if got := exchange(t, addr, "GET http://a.example/x?y HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic b3RoZXI=\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(got, "\r\n\r\nplain") {
			t.Errorf("plain HTTP: %q", got)
		}
		const login = " Basic dTpzZWNyZXQ="
		if diff := cmp.Diff([]string{"CONNECT a.example:443" + login, "GET http://a.example/x?y" + login}, seen()); diff != "" {
			t.Errorf("the upstream proxy got: %s", diff)
		}
	}
}

// Addresses of this machine and names of it are refused, although the upstream proxy would
// look them up.
func TestUpstreamIsNotAskedForThisMachine(t *testing.T) {
	at, _, seen := company(t, false)
	p := newProxy(t, Options{Decide: rules(t, "127.0.0.1 169.254.169.254 localhost metadata.google.internal", "").Connect, Upstream: at})
	addr := onTCP(t, p)
	for _, host := range []string{"127.0.0.1", "169.254.169.254", "localhost", "metadata.google.internal", "evil.example"} {
		if got := exchange(t, addr, "CONNECT "+host+":443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 403 "+host+":443 is not allowed in the sandbox: ") {
			t.Errorf("%s: %q", host, got)
		}
	}
	if len(p.Refused()) != 5 || len(seen()) > 0 {
		t.Errorf("the upstream proxy got %v", seen())
	}
}

func TestUpstreamFails(t *testing.T) {
	at, s, _ := company(t, false)
	at.User = url.UserPassword("u", "s3cret")
	wrong := onTCP(t, newProxy(t, Options{Decide: rules(t, "a.example", "").Connect, Upstream: at}))
	got := exchange(t, wrong, "CONNECT a.example:443 HTTP/1.1\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 502 no connection to a.example:443: the upstream proxy "+at.Host+": it answered 407") || strings.Contains(got, "s3cret") {
		t.Errorf("a wrong password: %q", got)
	}
	s.Close()
	got = exchange(t, wrong, "CONNECT a.example:443 HTTP/1.1\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 502 no connection to a.example:443: the upstream proxy "+at.Host+" cannot be reached") || strings.Contains(got, "s3cret") {
		t.Errorf("none: %q", got)
	}
	_, err := New(Options{Decide: rules(t, "", "").Connect, Upstream: parse(t, "socks5://u:s3cret@proxy.example:1080")})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "proxy.example:1080") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("SOCKS5: %v", err)
	}
}

func TestEnv(t *testing.T) {
	want := []string{
		"http_proxy=http://127.0.0.1:3128", "HTTP_PROXY=http://127.0.0.1:3128",
		"https_proxy=http://127.0.0.1:3128", "HTTPS_PROXY=http://127.0.0.1:3128",
		"all_proxy=socks5h://127.0.0.1:3128", "ALL_PROXY=socks5h://127.0.0.1:3128",
		"no_proxy=localhost,127.0.0.1,::1", "NO_PROXY=localhost,127.0.0.1,::1",
		"NODE_USE_ENV_PROXY=1",
	}
	if diff := cmp.Diff(want, Env("127.0.0.1:3128")); diff != "" {
		t.Error(diff)
	}
}
