package model_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
)

// socketServer answers each message of a WebSocket with the messages of a script.
type socketServer struct {
	answers [][]string
	hangUp  bool // close the connection after each answer

	mu       sync.Mutex
	opened   int
	requests []string
	header   http.Header
}

func (s *socketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer the-key" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"code":"invalid_api_key","message":"wrong key"}}`))
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	s.mu.Lock()
	s.opened++
	s.header = r.Header
	s.mu.Unlock()
	for s.answer(r.Context(), c) == nil && !s.hangUp {
	}
}

// answer takes one message and sends the next answer.
func (s *socketServer) answer(ctx context.Context, c *websocket.Conn) error {
	_, data, err := c.Read(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.requests = append(s.requests, string(data))
	answer := s.answers[min(len(s.requests), len(s.answers))-1]
	s.mu.Unlock()
	for _, message := range answer {
		if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			return err
		}
	}
	return nil
}

// saying is an answer with a text.
func saying(text string) []string {
	return []string{
		`{"type":"response.created","response":{"id":"r1"}}`,
		"{\"type\":\"response.output_text.delta\",\n \"output_index\":0,\"delta\":\"" + text + `"}`,
		`{"type":"response.completed","response":{"id":"r1","status":"completed","usage":{"input_tokens":3,"output_tokens":1}}}`,
	}
}

// callOverSockets makes calls one after the other, and returns the texts of their answers.
func callOverSockets(t *testing.T, s http.Handler, key string, n int) ([]string, error) {
	t.Helper()
	srv := httptest.NewServer(s)
	defer srv.Close()
	c := model.New(model.Options{Retry: model.Retry{Attempts: 1}}, responses.New())
	defer c.Close()
	var texts []string
	for range n {
		ep := model.Endpoint{BaseURL: srv.URL + "/v1", APIKey: key, Dialect: responses.Name, WebSocket: true}
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := c.Stream(ctx, ep, model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
		cancel() // the end of a call does not end its connection
		if err != nil {
			return texts, err
		}
		texts = append(texts, resp.Text)
	}
	return texts, nil
}

func TestCallsShareAWebSocket(t *testing.T) {
	s := &socketServer{answers: [][]string{saying("one"), saying("two"), saying("three")}}
	got, err := callOverSockets(t, s, "the-key", 3)
	if d := cmp.Diff([]string{"one", "two", "three"}, got); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	if s.opened != 1 || s.header.Get("Authorization") != "Bearer the-key" {
		t.Errorf("%d connections were opened, with %v", s.opened, s.header)
	}
	if !strings.HasPrefix(s.requests[0], `{"type":"response.create","model":"m",`) || strings.Contains(s.requests[0], `"stream"`) {
		t.Errorf("the message is %s", s.requests[0])
	}
}

// A connection that the server closed between two calls is replaced, without a failed attempt.
func TestAWebSocketThatWasClosedIsReplaced(t *testing.T) {
	s := &socketServer{answers: [][]string{saying("one"), saying("two")}, hangUp: true}
	got, err := callOverSockets(t, s, "the-key", 2)
	if d := cmp.Diff([]string{"one", "two"}, got); d != "" || err != nil || s.opened != 2 {
		t.Errorf("%v, %d connections (-want +got):\n%s", err, s.opened, d)
	}
}

func TestFailuresOfAWebSocket(t *testing.T) {
	for name, tc := range map[string]struct {
		server    http.Handler
		key       string
		category  string
		retryable bool
	}{
		"the key":             {&socketServer{}, "wrong", model.CategoryAuthentication, false},
		"no WebSocket":        {http.NotFoundHandler(), "the-key", model.CategoryQuery, false},
		"a web page":          {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }), "the-key", model.CategoryNetwork, true},
		"closed at once":      {&socketServer{answers: [][]string{{}}, hangUp: true}, "the-key", model.CategoryNetwork, true},
		"cut":                 {&socketServer{answers: [][]string{saying("one")[:1]}, hangUp: true}, "the-key", model.CategoryNetwork, true},
		"an error":            {&socketServer{answers: [][]string{{`{"type":"error","status":429,"error":{"code":"rate_limit_exceeded","message":"slow down"}}`}}}, "the-key", model.CategoryRateLimit, true},
		"the end of its time": {&socketServer{answers: [][]string{{`{"type":"error","error":{"code":"websocket_connection_limit_reached","message":"60 minutes"}}`}}}, "the-key", model.CategoryNetwork, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := callOverSockets(t, tc.server, tc.key, 1)
			var e *model.Error
			if !errors.As(err, &e) || e.Category != tc.category || e.Retryable != tc.retryable {
				t.Errorf("%v: %+v", err, e)
			}
		})
	}
}

// callOverSocketsOrHTTP makes two calls, each over a connection of its own, to a server that answers handshakes
// with socket and requests over HTTP with "over HTTP". It returns the texts of the answers.
func callOverSocketsOrHTTP(t *testing.T, o model.Options, socket http.HandlerFunc) (texts []string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			socket(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range saying("over HTTP") {
			_, _ = w.Write([]byte("data: " + strings.ReplaceAll(event, "\n", "") + "\n\n"))
		}
	}))
	defer srv.Close()
	c := model.New(o, responses.New())
	defer c.Close()
	for range 2 {
		ep := model.Endpoint{BaseURL: srv.URL + "/v1", APIKey: "the-key", Dialect: responses.Name, WebSocket: true, OrHTTP: true}
		resp, err := c.Stream(t.Context(), ep, model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
		if err != nil {
			continue
		}
		if resp.OverHTTP != (resp.Text == "over HTTP") {
			t.Errorf("the answer %q has OverHTTP %v", resp.Text, resp.OverHTTP)
		}
		texts = append(texts, resp.Text)
		c.Close() // the next call opens a connection
	}
	return texts
}

// TestTheWaitOfAWebSocketIsKept lets the first handshake fail in a way that says nothing about WebSockets: the
// call waits, tries again over a WebSocket, and so does the next call.
func TestTheWaitOfAWebSocketIsKept(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"a rate limit": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		"an overloaded provider": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"a page of a gateway": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			socket, asked, failed := &socketServer{answers: [][]string{saying("one"), saying("two")}}, 0, 0
			texts := callOverSocketsOrHTTP(t, model.Options{
				Retry:   model.Retry{Immediate: true},
				OnRetry: func(int, time.Duration, time.Duration, error) { failed++ },
			}, func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked == 1 {
					first(w, r)
					return
				}
				socket.ServeHTTP(w, r)
			})
			if d := cmp.Diff([]string{"one", "two"}, texts); d != "" || failed != 1 {
				t.Errorf("%d failed tries were announced, want 1; the texts (-want +got):\n%s", failed, d)
			}
		})
	}
}

// Where no answer comes over a WebSocket, the call goes over HTTP, if the endpoint says so; later calls do so
// at once. An answer that has begun, even with an error, is not asked for again.
func TestACallGoesOverHTTPWhereThereIsNoWebSocket(t *testing.T) {
	for name, tc := range map[string]struct {
		socket http.Handler
		want   []string // the texts of two calls
		opened int      // how many times a WebSocket was asked for
	}{
		"none":           {http.NotFoundHandler(), []string{"over HTTP", "over HTTP"}, 1},
		"a web page":     {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }), []string{"over HTTP", "over HTTP"}, 1},
		"closed at once": {&socketServer{answers: [][]string{{}}, hangUp: true}, []string{"over HTTP", "over HTTP"}, 1},
		"an error":       {&socketServer{answers: [][]string{{`{"type":"error","status":429,"error":{"code":"rate_limit_exceeded","message":"slow down"}}`}}}, nil, 2},
		"a page of a proxy": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusForbidden)
		}), []string{"over HTTP", "over HTTP"}, 1},
		"a rate limit": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }), nil, 2},
		"it works":     {&socketServer{answers: [][]string{saying("one")}}, []string{"one", "one"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			opened := 0
			got := callOverSocketsOrHTTP(t, model.Options{Retry: model.Retry{Attempts: 1}}, func(w http.ResponseWriter, r *http.Request) {
				opened++
				tc.socket.ServeHTTP(w, r)
			})
			if d := cmp.Diff(tc.want, got); d != "" || opened != tc.opened {
				t.Errorf("a WebSocket was asked for %d times, want %d; the texts (-want +got):\n%s", opened, tc.opened, d)
			}
		})
	}
}
