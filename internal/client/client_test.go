package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runtime is the server side: it records calls and answers them from a table.
type runtime struct {
	t       *testing.T
	conn    *jsonrpc.Conn
	calls   chan string // "method params", all but those of the handshake
	answers map[string]func(params map[string]any) (any, error)
}

// start connects a client to a new runtime, until the test ends.
func start(t *testing.T) (*client.Client, *runtime) {
	t.Helper()
	return startWith(t, client.Options{})
}

func startWith(t *testing.T, opts client.Options) (*client.Client, *runtime) {
	t.Helper()
	near, far := net.Pipe()
	r := &runtime{t: t, calls: make(chan string, 100), answers: map[string]func(map[string]any) (any, error){
		"connect":        func(map[string]any) (any, error) { return map[string]any{"protocolVersion": 3}, nil },
		"session.create": echoSession,
		"session.resume": echoSession,
		"session.send":   func(map[string]any) (any, error) { return map[string]any{"messageId": "m1"}, nil },
	}}
	r.conn = jsonrpc.NewConn(far, r.handle, jsonrpc.Options{})
	var running sync.WaitGroup
	running.Go(func() { _ = r.conn.Run(context.Background()) })
	c := client.New(near, opts)
	t.Cleanup(func() {
		_ = c.Close()
		_ = r.conn.Close()
		running.Wait()
	})
	return c, r
}

func echoSession(params map[string]any) (any, error) {
	return map[string]any{"sessionId": params["sessionId"], "workspacePath": "/w"}, nil
}

func (r *runtime) handle(_ context.Context, req *jsonrpc.Request) func() (any, error) {
	r.calls <- req.Method + " " + string(req.Params)
	return func() (any, error) {
		var params map[string]any
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, err
		}
		if answer := r.answers[req.Method]; answer != nil {
			return answer(params)
		}
		return map[string]any{"success": true}, nil
	}
}

// emit sends an event to session s1.
func (r *runtime) emit(kind, data string) {
	r.t.Helper()
	event := fmt.Sprintf(`{"type":%q,"data":%s,"id":"e","timestamp":"2026-01-02T03:04:05.000Z","parentId":null}`, kind, data)
	if err := r.conn.NotifyRaw(r.t.Context(), "session.event", []byte(`{"sessionId":"s1","event":`), []byte(event), []byte("}")); err != nil {
		r.t.Errorf("emit %s: %v", kind, err)
	}
}

// expect fails unless the next call is want.
func (r *runtime) expect(want string) {
	r.t.Helper()
	if got := <-r.calls; got != want {
		r.t.Fatalf("called %s\nwant   %s", got, want)
	}
}

// open connects and creates session s1.
func open(t *testing.T, config client.Config) (*client.Session, *runtime) {
	t.Helper()
	c, r := start(t)
	config.ID = "s1"
	s, err := c.CreateSession(t.Context(), config)
	if err != nil {
		t.Fatalf("CreateSession: %v", err)
	}
	<-r.calls
	return s, r
}

func TestRefusals(t *testing.T) {
	c, r := start(t)
	r.answers["connect"] = func(map[string]any) (any, error) { return map[string]any{"protocolVersion": 2}, nil }
	if err := c.Connect(t.Context(), ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Connect to version 2 = %v, want an invalid", err)
	}
	r.answers["session.create"] = func(map[string]any) (any, error) { return map[string]any{"sessionId": "another"}, nil }
	if _, err := c.CreateSession(t.Context(), client.Config{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("CreateSession = %v, want an internal: the runtime changed the id", err)
	}
	r.answers["session.create"] = func(map[string]any) (any, error) { return 5, nil }
	if _, err := c.CreateSession(t.Context(), client.Config{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("CreateSession = %v, want an internal: the result is not an object", err)
	}
	r.answers["session.create"] = func(map[string]any) (any, error) { return nil, errors.New("no such model") }
	for range 2 { // a failed one is not kept
		_, err := c.CreateSession(t.Context(), client.Config{ID: "s1"})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Message != "no such model" {
			t.Errorf("CreateSession = %v, want the refusal", err)
		}
	}
	r.answers["session.create"] = echoSession
	if _, err := c.CreateSession(t.Context(), client.Config{ID: "s1"}); err != nil {
		t.Errorf("CreateSession = %v", err)
	}
	if _, err := c.CreateSession(t.Context(), client.Config{ID: "s1"}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("CreateSession of an open one = %v, want a conflict", err)
	}
	if _, err := c.ResumeSession(t.Context(), client.Config{}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("ResumeSession without id = %v, want an invalid", err)
	}
	_, err := r.conn.Call(t.Context(), "hooks.invoke", nil)
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.MethodNotFound {
		t.Errorf("a request to the client = %v, want method not found", err)
	}
}

func TestTheRuntimeAsksTheProgram(t *testing.T) {
	_, r := startWith(t, client.Options{Asked: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		return method + string(params), nil
	}})
	got, err := r.conn.Call(t.Context(), "userInput.request", map[string]any{"question": "why"})
	if want := `"userInput.request{\"question\":\"why\"}"`; err != nil || string(got) != want {
		t.Errorf("the answer is %s, %v, want %s", got, err, want)
	}
}

func TestTheEndOfAConnection(t *testing.T) {
	s, r := open(t, client.Config{})
	r.emit("user.message", `{}`)
	_, _ = r.conn.Call(t.Context(), "once this is refused the event is read", nil)
	_ = r.conn.Close()
	if e, err := s.Next(t.Context()); e.Type != "user.message" || err != nil {
		t.Errorf("Next = %+v, %v, want what came before the end", e, err)
	}
	if _, err := s.Next(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Next = %v, want an unavailable", err)
	}
	if _, err := s.Send(t.Context(), "x"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Send = %v, want an unavailable", err)
	}
}

func TestNextEndsWithItsContext(t *testing.T) {
	s, _ := open(t, client.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx, nil); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Canceled {
		t.Errorf("Wait = %v, want a canceled", err)
	}
}

func TestWhoLetsTheQueueOverflowIsTold(t *testing.T) {
	s, r := open(t, client.Config{})
	for n := range 4096 + 2 {
		r.emit("user.message", fmt.Sprint(n))
	}
	_, _ = s.Send(t.Context(), "by now all are read, and others work")
	for n := range 4096 {
		if e, err := s.Next(t.Context()); string(e.Data) != fmt.Sprint(n) || err != nil {
			t.Fatalf("Next = %s, %v, want %d", e.Data, err, n)
		}
	}
	if _, err := s.Next(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "lost") {
		t.Errorf("Next = %v, want that events are lost", err)
	}
}

func TestWhatCannotBeReadIsIgnored(t *testing.T) {
	s, r := open(t, client.Config{})
	for _, params := range []string{`{}`, `[]`, `{"sessionId":"another","event":{}}`, `{"sessionId":"s1","event":{}}`} {
		if err := r.conn.NotifyRaw(t.Context(), "session.event", []byte(params)); err != nil {
			t.Fatal(err)
		}
	}
	_ = r.conn.Notify(t.Context(), "session.lifecycle", nil)
	r.emit("session.idle", `{}`)
	if err := s.Wait(t.Context(), nil); err != nil {
		t.Errorf("Wait = %v", err)
	}
}
