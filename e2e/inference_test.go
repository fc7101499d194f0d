package e2e_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// carrying makes the model calls of a runtime. It sends each where it should go, unless fail
// says otherwise.
type carrying struct {
	mu   sync.Mutex
	seen []*copilot.CopilotRequestContext
	fail func(*http.Request) error
}

func (c *carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.seen = append(c.seen, copilot.RequestContextFrom(r))
	fail := c.fail
	c.mu.Unlock()
	if fail != nil {
		if err := fail(r); err != nil {
			return nil, err
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (c *carrying) requests() []*copilot.CopilotRequestContext {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[:len(c.seen):len(c.seen)]
}

// carriedBy is a client that makes the model calls of its runtime.
func carriedBy(t *testing.T, c *carrying) *copilot.Client {
	home := t.TempDir()
	return started(t, copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: binary, Env: environment(home)}, WorkingDirectory: home,
		RequestHandler: &copilot.CopilotRequestHandler{Transport: c},
	})
}

// A program that makes the model calls itself sees each with its session, streams the answer,
// and can fail it.
func TestAProgramMakesTheModelCalls(t *testing.T) {
	c := &carrying{}
	long := modeltest.Varied(140_000) // the SDK cuts longer characters apart
	m := script(t, modeltest.Reply{Text: long, Piece: 1000}, say("Again."))
	client := carriedBy(t, c)
	s := create(t, client, copilot.SessionConfig{Provider: at(m), Streaming: new(true)})
	if answer := s.ask("Hello " + strings.Repeat("ü", 300_000)); answer != long {
		t.Errorf("the answer has %d bytes, want %d", len(answer), len(long))
	}
	if sent := lastRequest(t, m).Messages; !strings.Contains(sent[len(sent)-1].Content, strings.Repeat("ü", 300_000)) {
		t.Error("the request arrived changed")
	}
	seen := c.requests()
	if len(seen) != 1 || seen[0].SessionID != s.SessionID || seen[0].AgentID != s.SessionID || seen[0].InteractionType != "conversation-agent" {
		t.Errorf("the program has seen %+v", seen)
	}
	c.mu.Lock()
	c.fail = func(*http.Request) error { return errors.New("the gateway is closed") }
	c.mu.Unlock()
	short := create(t, client, copilot.SessionConfig{Provider: at(m), Streaming: new(true)}) // nothing to summarize first
	short.send("Once more")
	if failed := await[*copilot.SessionErrorData](t, short.ear, 1); !strings.Contains(failed.Message, "the gateway is closed") {
		t.Errorf("the error is %q", failed.Message)
	}
}

// An abort cancels the call in the program that makes it.
func TestAnAbortCancelsTheCallInTheProgram(t *testing.T) {
	begun, cancelled := make(chan struct{}), make(chan struct{})
	c := &carrying{fail: func(r *http.Request) error {
		close(begun)
		<-r.Context().Done()
		close(cancelled)
		return r.Context().Err()
	}}
	s := create(t, carriedBy(t, c), copilot.SessionConfig{Provider: at(script(t))})
	s.send("Wait")
	<-begun
	if err := s.Abort(soon(t)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-cancelled:
	case <-soon(t).Done():
		t.Error("the program does not learn of the abort")
	}
	await[*copilot.SessionIdleData](t, s.ear, 1)
}
