package extension_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// platformKey is a key pair of a platform, with the identifier that GitHub would give it.
type platformKey struct {
	private *ecdsa.PrivateKey
	pem, id string
}

func newKey(t testing.TB) platformKey {
	t.Helper()
	return newKeyOf(t, elliptic.P256())
}

func newKeyOf(t testing.TB, curve elliptic.Curve) platformKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	sum := sha256.Sum256(text)
	return platformKey{private: private, pem: string(text), id: hex.EncodeToString(sum[:])}
}

// sign returns the base64 signature of a body.
func (k platformKey) sign(t testing.TB, body string) string {
	t.Helper()
	digest := sha256.Sum256([]byte(body))
	signature, err := ecdsa.SignASN1(rand.Reader, k.private, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// negated returns another signature that verifies as s does.
func negated(t *testing.T, s string) string {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		t.Fatal(err)
	}
	pair.S.Sub(elliptic.P256().Params().N, pair.S)
	if der, err = asn1.Marshal(pair); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

func fixed(t testing.TB, keys ...platformKey) extension.KeySource {
	t.Helper()
	var pems []string
	for _, k := range keys {
		pems = append(pems, k.pem)
	}
	source, err := extension.FixedKeys(pems...)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

const (
	idHeader        = "X-GitHub-Public-Key-Identifier"
	signatureHeader = "X-GitHub-Public-Key-Signature"
)

// post returns a request with headers, given as pairs of name and value.
func post(t *testing.T, body string, header ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// A request is verified before it is decoded.
func TestSignatures(t *testing.T) {
	key, other, unknown := newKey(t), newKey(t), newKey(t)
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil },
		extension.HandlerOptions{Keys: fixed(t, key, other), Logger: quiet.Logger})
	good := key.sign(t, hello)
	for _, tc := range []struct {
		name   string
		body   string
		header []string
		status int
		says   string
	}{
		{"signed", hello, []string{idHeader, key.id, signatureHeader, good}, 200, "[DONE]"},
		{"signed, by the names of before 2025", hello, []string{"Github-Public-Key-Identifier", key.id, "Github-Public-Key-Signature", good}, 200, "[DONE]"},
		{"by both, the newer counts", hello, []string{idHeader, key.id, signatureHeader, good, "Github-Public-Key-Identifier", "x", "Github-Public-Key-Signature", "x"}, 200, "[DONE]"},
		{"with a newer pair that is not whole", hello, []string{idHeader, "", "Github-Public-Key-Identifier", key.id, "Github-Public-Key-Signature", good}, 200, "[DONE]"},
		{"not signed", hello, nil, 401, "is not signed"},
		{"with empty headers, as the debug tool", hello, []string{idHeader, "", signatureHeader, ""}, 401, "is not signed"},
		{"without a signature", hello, []string{idHeader, key.id}, 401, "is not signed"},
		{"without a key", hello, []string{signatureHeader, good}, 401, "is not signed"},
		{"by a key that is not published", hello, []string{idHeader, unknown.id, signatureHeader, unknown.sign(t, hello)}, 401, "does not publish"},
		{"by another key than it says", hello, []string{idHeader, other.id, signatureHeader, good}, 401, "does not fit"},
		{"with a forged signature", hello, []string{idHeader, key.id, signatureHeader, unknown.sign(t, hello)}, 401, "does not fit"},
		{"with a body that was changed", strings.Replace(hello, "hello", "hullo", 1), []string{idHeader, key.id, signatureHeader, good}, 401, "does not fit"},
		{"with a space more", hello + " ", []string{idHeader, key.id, signatureHeader, good}, 401, "does not fit"},
		{"with a signature that is not base64", hello, []string{idHeader, key.id, signatureHeader, "!" + good}, 401, "not base64"},
		{"with base64 that is no signature", hello, []string{idHeader, key.id, signatureHeader, "aGVsbG8="}, 401, "does not fit"},
		{"with an endless signature", hello, []string{idHeader, key.id, signatureHeader, strings.Repeat("QUFB", 100)}, 401, "at most 256"},
		{"not signed, and not JSON", "{", nil, 401, "is not signed"},
		{"signed, but not JSON", "{", []string{idHeader, key.id, signatureHeader, key.sign(t, "{")}, 400, "not JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, post(t, tc.body, tc.header...))
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
				t.Errorf("answered %d %s, want %d with %q", w.Code, w.Body, tc.status, tc.says)
			}
			if w.Code == 401 && (strings.Contains(w.Body.String(), key.id) || strings.Contains(w.Body.String(), good)) {
				t.Errorf("the answer gives away what was sent: %s", w.Body)
			}
		})
	}
}

// source is a KeySource that always returns the same key and error.
type source struct {
	key *ecdsa.PublicKey
	err error
}

func (s source) Key(context.Context, string) (*ecdsa.PublicKey, error) { return s.key, s.err }

func TestVerifyWithASourceOfOnesOwn(t *testing.T) {
	long := newKeyOf(t, elliptic.P384())
	down := errors.New("it is down")
	for _, tc := range []struct {
		name   string
		source source
		kind   fault.Kind
	}{
		{"no key", source{}, fault.Denied},
		{"a key of another curve", source{key: &long.private.PublicKey}, fault.Denied},
		{"down", source{err: down}, fault.Unavailable},
		{"unknown", source{err: extension.ErrUnknownKey}, fault.Denied},
		{"left", source{err: context.Canceled}, fault.Canceled},
	} {
		r := post(t, hello, idHeader, long.id, signatureHeader, long.sign(t, hello))
		if err := extension.Verify(t.Context(), tc.source, r.Header, []byte(hello)); fault.KindOf(err) != tc.kind || err == nil {
			t.Errorf("%s: Verify = %v, want kind %v", tc.name, err, tc.kind)
		}
	}
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil },
		extension.HandlerOptions{Keys: source{err: down}, Logger: quiet.Logger})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(t, hello, idHeader, long.id, signatureHeader, long.sign(t, hello)))
	if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "down") {
		t.Errorf("answered %d %s, want 503 without the reason", w.Code, w.Body)
	}
}

func TestReplays(t *testing.T) {
	key := newKey(t)
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil },
		extension.HandlerOptions{Keys: fixed(t, key), Replays: 2, Logger: quiet.Logger})
	send := func(signature string) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(t, hello, idHeader, key.id, signatureHeader, signature))
		return w.Code
	}
	first, second, third := key.sign(t, hello), key.sign(t, hello), key.sign(t, hello)
	for i, step := range []struct {
		signature string
		want      int
	}{
		{first, 200},
		{first, 401},
		{negated(t, first), 401}, // anyone can make this from the first
		{second, 200},            // the same body, signed again
		{first, 401},
		{third, 200}, // now the first is forgotten
		{first, 200},
		{third, 401},
		{second, 200},
	} {
		if got := send(step.signature); got != step.want {
			t.Errorf("step %d: answered %d, want %d", i+1, got, step.want)
		}
	}
}

func TestWhatIsNotAnswered(t *testing.T) {
	const ours = `{"agent":"Blackbeard","client_id":"Iv23","messages":[{"content":"hi"}]}`
	for _, tc := range []struct {
		name, method, body, slug, client string
		status                           int
		says                             string
	}{
		{"the callback", "GET", "", "", "", 200, "go back to your chat"},
		{"its head", "HEAD", "", "", "", 200, ""},
		{"another method", "PUT", hello, "", "", 405, "POST"},
		{"no JSON", "POST", "hello", "", "", 400, "not JSON at byte 1"},
		{"no body", "POST", "", "", "", 400, "not JSON"},
		{"no messages", "POST", "{}", "", "", 400, "nothing to answer"},
		{"ours", "POST", ours, "blackbeard", "Iv23", 200, "[DONE]"},
		{"another agent's", "POST", ours, "bluebeard", "", 403, "another agent"},
		{"nobody's", "POST", hello, "blackbeard", "", 403, "another agent"},
		{"another app's", "POST", ours, "", "Iv24", 403, "another agent"},
		{"no app's", "POST", hello, "", "Iv24", 403, "another agent"},
		{"an app that is no string", "POST", `{"client_id":5,"messages":[{}]}`, "", "5", 403, "another agent"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := quiet
			o.Slug, o.ClientID = tc.slug, tc.client
			h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, o)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tc.method, "/", strings.NewReader(tc.body)))
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
				t.Errorf("answered %d %s, want %d with %q", w.Code, w.Body, tc.status, tc.says)
			}
			if kind := w.Header().Get("Content-Type"); tc.status != 200 && kind != "text/plain; charset=utf-8" {
				t.Errorf("Content-Type is %q", kind)
			}
			if allow := w.Header().Get("Allow"); (allow == "GET, HEAD, POST") != (tc.status == 405) {
				t.Errorf("Allow is %q", allow)
			}
		})
	}
}

// endless is a body that counts the bytes that are read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

func TestABodyOf100MB(t *testing.T) {
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, quiet)
	for _, tc := range []struct {
		name   string
		length int64 // in the header; -1: none
		most   int64 // bytes that may be read
	}{
		{"that says so", 100 << 20, 0},
		{"that does not", -1, 10<<20 + 1<<20},
	} {
		body := &endless{}
		r := post(t, "")
		r.Body, r.ContentLength = io.NopCloser(io.LimitReader(body, 100<<20)), tc.length
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "longer than 10485760 bytes") {
			t.Errorf("%s: answered %d %s", tc.name, w.Code, w.Body)
		}
		if body.read > tc.most {
			t.Errorf("%s: %d bytes of it were read, want at most %d", tc.name, body.read, tc.most)
		}
	}
	o := quiet
	o.MaxBody = int64(len(hello))
	h = extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, o)
	if w := postBody(t, h, hello); w.Code != 200 {
		t.Errorf("a body as long as allowed is answered %d %s", w.Code, w.Body)
	}
	if w := postBody(t, h, hello+" "); w.Code != 413 {
		t.Errorf("one byte more is answered %d %s", w.Code, w.Body)
	}
}

func TestWhatTheAgentGets(t *testing.T) {
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return w.Text(r.Token + " " + r.Header.Get("Copilot-Integration-Id"))
	}, quiet)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(t, hello, "X-GitHub-Token", "ghu_1", "Copilot-Integration-Id", "vscode-chat"))
	if got := w.Body.String(); !strings.Contains(got, `"ghu_1 vscode-chat"`) {
		t.Errorf("answered %s", got)
	}
}

// The Host of a request says nothing about the machine that sends it. An agent whose options name hosts is behind a
// proxy, which may run on another machine.
func TestUnsignedHandlersRefuseOtherMachines(t *testing.T) {
	for _, tc := range []struct {
		name, remote string
		hosts        []string
		status       int
	}{
		{"this machine", "127.0.0.1:4000", nil, 200},
		{"its other address", "[::1]:4000", nil, 200},
		{"an address of both families", "[::ffff:127.0.0.1]:4000", nil, 200},
		{"a Unix socket", "@", nil, 200},
		{"another machine", "192.0.2.7:4000", nil, 403},
		{"another machine of the other family", "[2001:db8::7]:4000", nil, 403},
		{"another machine on the same link", "[fe80::7%eth0]:4000", nil, 403},
		{"a proxy", "192.0.2.7:4000", []string{"agent.example"}, 200},
	} {
		h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error { return w.Text("hi") },
			extension.HandlerOptions{Unsigned: true, Hosts: tc.hosts, Logger: quiet.Logger})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(hello))
		r.Host, r.RemoteAddr = "localhost:8080", tc.remote
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != tc.status {
			t.Errorf("%s: %d %q, want %d", tc.name, w.Code, w.Body, tc.status)
		}
	}
}

// A handler that verifies nothing refuses what a web page in a browser on the same machine can
// send: requests with another origin, and requests to a host name of the page's owner. A
// signature is proof enough.
func TestUnsignedHandlersRefuseWebPages(t *testing.T) {
	said := false
	agent := func(context.Context, *extension.Request, *extension.Writer) error { said = true; return nil }
	skill := func(context.Context, json.RawMessage, http.Header) (string, error) { said = true; return "", nil }
	for _, tc := range []struct {
		name, host string
		header     http.Header
		status     int
	}{
		{"this machine", "localhost:8080", nil, 200},
		{"by number", "127.0.0.1:8080", nil, 200},
		{"by the other number", "[::1]:8080", nil, 200},
		{"a name of the options", "Agent.Example:443", nil, 200},
		{"its own page", "agent.example", http.Header{"Origin": {"https://agent.example"}, "Sec-Fetch-Site": {"same-origin"}}, 200},
		{"a name that leads here", "evil.test:8080", nil, 403},
		{"a page of that name", "evil.test", http.Header{"Origin": {"http://evil.test"}, "Sec-Fetch-Site": {"same-origin"}}, 403},
		{"a name that looks like it", "agent.example.evil.test", nil, 403},
		{"no name", "", nil, 403},
		{"a page of another origin", "localhost:8080", http.Header{"Origin": {"https://evil.test"}}, 403},
		{"a page of another port", "localhost:8080", http.Header{"Origin": {"http://localhost:3000"}}, 403},
		{"a page in a frame", "localhost:8080", http.Header{"Origin": {"null"}}, 403},
		{"a page that sends a text", "localhost:8080", http.Header{"Content-Type": {"text/plain;charset=UTF-8"}}, 415},
		{"a form with parts", "localhost:8080", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, 415},
		{"two types", "localhost:8080", http.Header{"Content-Type": {"application/json", "text/plain"}}, 415},
		{"curl", "localhost:8080", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, 200},
		{"JSON", "localhost:8080", http.Header{"Content-Type": {"application/json; charset=utf-8"}}, 200},
		{"two sites", "localhost:8080", http.Header{"Sec-Fetch-Site": {"same-origin", "cross-site"}}, 403},
		{"a list of sites", "localhost:8080", http.Header{"Sec-Fetch-Site": {"none, cross-site"}}, 403},
		{"a page that names no origin", "localhost:8080", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}, 403},
	} {
		o := extension.HandlerOptions{Unsigned: true, Hosts: []string{"agent.example"}, Logger: quiet.Logger}
		for kind, h := range map[string]http.Handler{"agent": extension.NewHandler(agent, o), "skill": extension.NewSkillHandler(skill, o)} {
			said = false
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(hello))
			r.Host, r.Header = tc.host, tc.header
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tc.status || said != (tc.status == 200) {
				t.Errorf("%s, %s: %d %q, want %d; it ran: %v", kind, tc.name, w.Code, w.Body, tc.status, said)
			}
		}
	}
	key := newKey(t)
	h := extension.NewHandler(agent, extension.HandlerOptions{Keys: fixed(t, key), Logger: quiet.Logger})
	r := post(t, hello, "X-GitHub-Public-Key-Identifier", key.id, "X-GitHub-Public-Key-Signature", key.sign(t, hello))
	r.Host = "evil.test"
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 200 {
		t.Errorf("a signed request to another name: %d %s", w.Code, w.Body)
	}
}
