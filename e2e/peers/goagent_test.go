package peers_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
)

// GitHub's example in Go verifies by the older headers, answers in text/plain, asks for
// a confirmation whose data have no id, and after it sends no [DONE].
func TestGitHubsGoAgentCreatesAnIssue(t *testing.T) {
	github := &issues{standIn: newStandIn(t)}
	url := goAgent(t, github)
	client := extension.NewClient(extension.ClientOptions{Signer: github.standIn.signer})
	for _, accepted := range []bool{true, false} {
		thread := client.NewThread(url)
		thread.Token = "gho_of_ann"
		got, err := collect(thread.Say(soon(t), "an issue, please"))
		if err != nil || len(got.confirmations) != 1 || got.text != "Shall I?" {
			t.Fatalf("the answer is %+v, %v; want one confirmation", got, err)
		}
		got, err = collect(thread.Decide(soon(t), got.confirmations[0], accepted))
		if want := map[bool]string{true: "Created issue Leak on repository ann/harbour", false: "Shall I?"}[accepted]; err != nil || got.text != want {
			t.Errorf("accepted %v: the answer is %+v, %v; want %q", accepted, got, err, want)
		}
	}
	if github.created() != 1 {
		t.Errorf("%d issues were created, want one", github.created())
	}
	got, err := collect(extension.NewClient(extension.ClientOptions{}).NewThread(url).Say(soon(t), "an issue, please"))
	if err == nil {
		t.Errorf("unsigned, it answers %+v", got)
	}
}

// issues is GitHub for that agent: its keys, a model that wants to create an issue, and
// the issues.
type issues struct {
	standIn *standIn

	mu    sync.Mutex // guards the rest
	count int
}

func (g *issues) created() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

func (g *issues) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/meta/public_keys/copilot_api":
		g.standIn.signer.ServeHTTP(w, r)
	case "/repos/ann/harbour/issues":
		g.mu.Lock()
		g.count++
		g.mu.Unlock()
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"number":1}`)
	case "/chat/completions":
		reply := `{"choices":[{"index":0,"message":{"role":"assistant","content":"Shall I?"}}]}`
		if !bytes.Contains(body, []byte("Issue dialog created")) {
			reply = `{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"function":{"name":"create_issue_dialog","arguments":` +
				`"{\"repository_owner\":\"ann\",\"repository_name\":\"harbour\",\"issue_title\":\"Leak\",\"issue_body\":\"In the hull.\"}"}}]}}]}`
		}
		_, _ = io.WriteString(w, reply)
	default:
		http.NotFound(w, r)
	}
}

// goAgent starts the agent, behind a proxy that leads it to our stand-in, and returns
// its URL. It dies with the test.
func goAgent(t *testing.T, github http.Handler) string {
	t.Helper()
	binary := os.Getenv("SIDESTICK_FUNCTION_CALLING")
	if binary == "" {
		t.Skip("SIDESTICK_FUNCTION_CALLING is not set: a binary of github.com/copilot-extensions/function-calling-extension, by go build in a checkout of it")
	}
	proxy, authority := impersonate(t, github, "api.github.com", "api.githubcopilot.com")
	port := freePort(t)
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "HTTPS_PROXY=" + proxy, "SSL_CERT_FILE=" + authority,
		"PORT=" + port, "FQDN=http://127.0.0.1", "CLIENT_ID=1", "CLIENT_SECRET=2",
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Listening on port") {
		t.Log(lines.Text())
	}
	read := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, out); close(read) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-read; _ = cmd.Wait() }) // killed, so there is an error
	reachable(t, "127.0.0.1:"+port)
	return "http://127.0.0.1:" + port + "/agent"
}

// reachable waits until somebody listens: the agent says so before it does.
func reachable(t *testing.T, addr string) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	ctx := soon(t)
	for {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// impersonate serves a handler over TLS under foreign names, and returns a proxy that
// leads every connection there, and the file of the certificate to trust.
func impersonate(t *testing.T, h http.Handler, names ...string) (proxy, authority string) {
	t.Helper()
	cert, pemText := certificate(t, names)
	authority = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pemText, 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.StartTLS()
	t.Cleanup(server.Close)
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnel(w, server.Listener.Addr().String())
	}))
	t.Cleanup(door.Close)
	return door.URL, authority
}

// tunnel answers CONNECT by a connection to one place. It ends with either side.
func tunnel(w http.ResponseWriter, to string) {
	there, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(there, early); done <- struct{}{} }()
	go func() { _, _ = io.Copy(here, there); done <- struct{}{} }()
	<-done
	_, _ = here.Close(), there.Close() // which ends the other
	<-done
}

// certificate is one for some names, which vouches for itself.
func certificate(t *testing.T, names []string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
