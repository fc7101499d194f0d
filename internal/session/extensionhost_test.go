package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// theAgent is where the agent of these tests is; everything else is the model.
const theAgent = "extension:https://agent.test/parrot"

// agentHost serves an agent in memory, and keeps what it was sent.
type agentHost struct {
	host   *modeltest.Host
	signer *extension.Signer

	mu     sync.Mutex // guards the rest
	bodies []string
	header []http.Header
}

// keep notes each request before it is answered.
func (h *agentHost) keep(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.bodies, h.header = append(h.bodies, string(body)), append(h.header, r.Header.Clone())
		h.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// beside sends calls of the agent to it, and others on to the model.
func (h *agentHost) beside(o *model.Options) {
	others := o.Transport
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Hostname() == "agent.test" {
			return h.host.Transport().RoundTrip(r)
		}
		return others.RoundTrip(r)
	})
}

// sign gives the key by which calls of the agent are signed.
func (h *agentHost) sign(context.Context) (*extension.Signer, error) { return h.signer, nil }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// request is what the agent was sent, of the call of that number from 0.
func (h *agentHost) request(t *testing.T, n int) *extension.Request {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if n >= len(h.bodies) {
		t.Fatalf("the agent was called %d times, want a call %d", len(h.bodies), n)
	}
	r, err := extension.ParseRequest([]byte(h.bodies[n]))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (h *agentHost) calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.bodies)
}

// withAgent runs a test with an agent that verifies our signature.
func withAgent(t *testing.T, a extension.Agent, f func(d *desk), replies ...modeltest.Reply) {
	signer, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Keys []struct {
			Key string `json:"key"`
		} `json:"public_keys"`
	}
	if err := json.Unmarshal(signer.PublicKeys(), &published); err != nil {
		t.Fatal(err)
	}
	keys, err := extension.FixedKeys(published.Keys[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	withHandler(t, signer, extension.NewHandler(a, extension.HandlerOptions{Keys: keys}), f, replies...)
}

// withHandler runs a test with anything that answers for the agent.
func withHandler(t *testing.T, signer *extension.Signer, answer http.Handler, f func(d *desk), replies ...modeltest.Reply) {
	h := &agentHost{signer: signer}
	bubble(t, &desk{fs: vfs.NewMem(), agent: h}, func(d *desk) {
		h.host = modeltest.NewHost(h.keep(answer)) // inside the bubble
		defer h.host.Close()
		f(d)
	}, replies...)
}

// decider is a client that answers permission requests.
func decider() wire.Config {
	return wire.Config{SessionID: "s1", Model: theAgent, RequestPermission: yes(), Streaming: yes()}
}

func parrot(_ context.Context, r *extension.Request, w *extension.Writer) error {
	return w.Text("You said: " + r.Prompt())
}
