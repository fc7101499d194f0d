package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// authority is a CA that no system knows.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a CA of a test"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key = a.sign(template, nil, nil)
	a.write("ca.pem", "CERTIFICATE", a.cert.Raw)
	return a
}

// sign makes a key and a certificate for it. Without a parent it is signed by itself.
func (a *authority) sign(template, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if parent == nil {
		parent, by = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// write writes a PEM file and returns its path.
func (a *authority) write(name, kind string, data []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// issue returns a certificate for a host and as a client; it is also in NAME.pem and NAME.key.
func (a *authority) issue(name string) tls.Certificate {
	a.t.Helper()
	cert, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, a.key)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", "CERTIFICATE", cert.Raw)
	a.write(name+".key", "PRIVATE KEY", private)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// encrypted serves a model by https. Its URL is that of host, which only a proxy knows, or of
// this machine.
func (a *authority) encrypted(clients tls.ClientAuthType) (server *httptest.Server, calls *atomic.Int32) {
	a.t.Helper()
	m := modeltest.NewServer(modeltest.Reply{Text: "Hello from there.", Repeat: true})
	a.t.Cleanup(m.Close)
	calls = new(atomic.Int32)
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		m.ServeHTTP(w, r)
	}))
	known := x509.NewCertPool()
	known.AddCert(a.cert)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{a.issue("model.test")}, ClientAuth: clients, ClientCAs: known}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	server.StartTLS()
	a.t.Cleanup(server.Close)
	return server, calls
}

// webProxy is an HTTP proxy. It connects every host to one address.
type webProxy struct {
	to       string
	password string // "" for none
	status   int    // what it answers; 0: it connects
	asked    atomic.Int32
}

// ServeHTTP answers CONNECT, and requests for plain http.
func (p *webProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked.Add(1)
	given := r.Header.Get("Proxy-Authorization")
	switch {
	case p.status != 0:
		w.WriteHeader(p.status)
		return
	case p.password != "" && !strings.HasPrefix(given, "Basic "):
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	case r.Method != http.MethodConnect:
		r.URL.Host, r.RequestURI = p.to, ""
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
		return
	}
	far, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(far, near)
		_ = far.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(near, far)
	_ = near.Close()
	<-done
}

// running starts a proxy and returns its URL, with a user if it has a password.
func (p *webProxy) running(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	if p.password != "" {
		return strings.Replace(s.URL, "http://", "http://me:"+p.password+"@", 1)
	}
	return s.URL
}

// runs runs the program with a prompt, and returns what it printed on both streams together.
func runs(t *testing.T, model string, env ...string) (out string, code int) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(binary, "run", "-m", model, "hello")
	cmd.Dir, cmd.Env = dir, append(environment(dir), env...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

func TestCertificatesOfCallsToModels(t *testing.T) {
	a := newAuthority(t)
	open, _ := a.encrypted(tls.NoClientCert)
	closed, _ := a.encrypted(tls.RequireAndVerifyClientCert)
	a.issue("person")
	other := newAuthority(t)
	other.issue("person")
	ca := "SIDESTICK_CA_FILE=" + a.path("ca.pem")
	for _, tc := range []struct {
		name string
		url  string
		env  []string
		code int
		says string
	}{
		{"an unknown CA", open.URL, nil, 1, "put its CA into a file and name it in SIDESTICK_CA_FILE"},
		{"our variable", open.URL, []string{ca}, 0, "Hello from there."},
		{"Node's variable", open.URL, []string{"NODE_EXTRA_CA_CERTS=" + a.path("ca.pem")}, 0, "Hello from there."},
		{"both", open.URL, []string{"NODE_EXTRA_CA_CERTS=" + a.path("ca.pem"), "SIDESTICK_CA_FILE=" + other.path("ca.pem")}, 0, "Hello from there."},
		{"another CA", open.URL, []string{"SIDESTICK_CA_FILE=" + other.path("ca.pem")}, 1, "certificate signed by unknown authority"},
		{"no such file", open.URL, []string{"SIDESTICK_CA_FILE=" + a.path("none.pem")}, 2, "env SIDESTICK_CA_FILE: " + a.path("none.pem") + ": no such file"},
		{"no certificate", open.URL, []string{"SIDESTICK_CA_FILE=" + a.path("person.key")}, 2, "has no certificate in PEM"},
		{"a folder", open.URL, []string{"SIDESTICK_CA_FILE=" + a.dir}, 2, "env SIDESTICK_CA_FILE: " + a.dir},
		{"Node ignores it", open.URL, []string{ca, "NODE_EXTRA_CA_CERTS=" + a.path("none.pem")}, 0, "certificates are ignored"},
		{"no client certificate", closed.URL, []string{ca}, 1, "in SIDESTICK_CLIENT_CERT and SIDESTICK_CLIENT_KEY"},
		{"a client certificate", closed.URL, []string{ca, "SIDESTICK_CLIENT_CERT=" + a.path("person.pem"), "SIDESTICK_CLIENT_KEY=" + a.path("person.key")}, 0, "Hello from there."},
		{"its key is missing", closed.URL, []string{ca, "SIDESTICK_CLIENT_CERT=" + a.path("person.pem")}, 2, "name its file in SIDESTICK_CLIENT_KEY"},
		{"it is missing", closed.URL, []string{ca, "SIDESTICK_CLIENT_KEY=" + a.path("person.key")}, 2, "name its file in SIDESTICK_CLIENT_CERT"},
		{"another key", closed.URL, []string{ca, "SIDESTICK_CLIENT_CERT=" + a.path("person.pem"), "SIDESTICK_CLIENT_KEY=" + other.path("person.key")}, 2, "are not a certificate with its private key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, code := runs(t, tc.url+"/v1#m", tc.env...)
			if words := strings.Join(strings.Fields(out), " "); code != tc.code || !strings.Contains(words, tc.says) {
				t.Errorf("exit code %d, want %d and %q\n%s", code, tc.code, tc.says, out)
			}
		})
	}
}

func TestProxiesOfCallsToModels(t *testing.T) {
	a := newAuthority(t)
	far, calls := a.encrypted(tls.NoClientCert)
	plain := modeltest.NewServer(modeltest.Reply{Text: "Hello from there.", Repeat: true})
	defer plain.Close()
	const nobody = "http://127.0.0.1:1" // a port that systems give to no other program
	const password = "pr0xy-canary-0123456789"
	for _, tc := range []struct {
		name  string
		proxy *webProxy
		model string
		env   func(proxy string) []string
		asked bool // the proxy
		code  int
		says  string
	}{
		{"https", &webProxy{}, "https://model.test/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, true, 0, "Hello from there."},
		{"small letters", &webProxy{}, "https://model.test/v1#m", func(p string) []string { return []string{"https_proxy=" + p} }, true, 0, "Hello from there."},
		{"a password", &webProxy{password: password}, "https://model.test/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, true, 0, "Hello from there."},
		{"http", &webProxy{to: strings.TrimPrefix(plain.URL(), "http://")}, "http://model.test/v1#m", func(p string) []string { return []string{"HTTP_PROXY=" + p} }, true, 0, "Hello from there."},
		{"not for this host", &webProxy{}, strings.Replace(far.URL, "127.0.0.1", "localhost", 1) + "/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, false, 1, "model.test, not localhost"},
		{"NO_PROXY", &webProxy{}, "https://model.invalid/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p, "NO_PROXY=.invalid"} }, false, 1, "model.invalid"},
		{"it refuses", &webProxy{status: 403}, "https://model.test/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, true, 1, "(HTTPS_PROXY): it answered CONNECT with HTTP 403 Forbidden"},
		{"it wants a password", &webProxy{status: 407}, "https://model.test/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, true, 1, "HTTP 407 Proxy Authentication Required: put a user and a password into its address"},
		{"it is not there", &webProxy{}, "https://model.test/v1#m", func(string) []string {
			return []string{"HTTPS_PROXY=" + strings.Replace(nobody, "//", "//me:"+password+"@", 1)}
		}, false, 1, "the proxy " + nobody + " (HTTPS_PROXY) cannot be reached: dial tcp"},
		{"it is no URL", &webProxy{}, "https://model.test/v1#m", func(string) []string { return []string{"HTTPS_PROXY=me:" + password + "@x\x7f"} }, false, 2, "env HTTPS_PROXY: this is not the address of a proxy"},
		{"its certificate", &webProxy{}, "https://other.test/v1#m", func(p string) []string { return []string{"HTTPS_PROXY=" + p} }, true, 1, ", through the proxy http://127.0.0.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.proxy.to == "" {
				tc.proxy.to = far.Listener.Addr().String()
			}
			before := calls.Load()
			env := append(tc.env(tc.proxy.running(t)), "SIDESTICK_CA_FILE="+a.path("ca.pem"), "SIDESTICK_RETRY_FOR=1s")
			out, code := runs(t, tc.model, env...)
			words := strings.Join(strings.Fields(out), " ")
			if code != tc.code || !strings.Contains(words, tc.says) || strings.Contains(out, password) {
				t.Errorf("exit code %d, want %d and %q\n%s", code, tc.code, tc.says, out)
			}
			if asked := tc.proxy.asked.Load() > 0; asked != tc.asked {
				t.Errorf("the proxy was asked: %v, want %v (%d calls arrived)", asked, tc.asked, calls.Load()-before)
			}
		})
	}
}
