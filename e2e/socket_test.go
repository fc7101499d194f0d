package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// listing is the part of a program that answers the Copilot API's list of models, and no call of a
// model: those go over the WebSocket. If answers is set, it answers calls, too.
type listing struct {
	t       *testing.T
	answers bool
}

func (l listing) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, body := "application/json", `{"data":[{"id":"gpt-6","supported_endpoints":["/responses","ws:/responses"],"capabilities":{"limits":{"max_context_window_tokens":200000}}}]}`
	switch {
	case r.Method == http.MethodGet:
	case l.answers && strings.HasSuffix(r.URL.Path, "/responses"):
		kind = "text/event-stream"
		body = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Over HTTP.\"}\n\n" +
			"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
	default:
		l.t.Errorf("%s %s", r.Method, r.URL)
		body = "{}"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// socket is a WebSocket to a model that answers each message.
type socket struct {
	mu   sync.Mutex
	got  []string
	to   copilot.WebSocketResponseWriter
	done chan struct{}
	once sync.Once
}

func (s *socket) Open(_ context.Context, to copilot.WebSocketResponseWriter) error {
	s.to = to
	return nil
}

func (s *socket) SendRequestMessage(_ context.Context, m copilot.CopilotWebSocketMessage) error {
	s.mu.Lock()
	s.got = append(s.got, m.Text())
	s.mu.Unlock()
	for _, event := range []string{
		`{"type":"response.created","response":{"id":"r1","model":"gpt-6"}}`,
		"{\"type\":\"response.output_text.delta\",\n\"output_index\":0,\"delta\":\"Over the socket.\"}",
		`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":3,"output_tokens":4}}}`,
	} {
		if err := s.to.SendText([]byte(event)); err != nil {
			return err
		}
	}
	return nil
}

func (s *socket) Done() <-chan struct{} { return s.done }
func (s *socket) Err() error            { return nil }

func (s *socket) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// A model that the Copilot API serves over a WebSocket is called by one in a program that makes the
// model calls, which sees one message for each call, and its end.
func TestAProgramMakesTheModelCallsOverAWebSocket(t *testing.T) {
	home := t.TempDir()
	s := &socket{done: make(chan struct{})}
	opened := make(chan *copilot.CopilotRequestContext, 1)
	client := started(t, copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: binary, Env: append(environment(home), "GH_TOKEN=gh", "COPILOT_API_URL=http://127.0.0.1:1",
			"COPILOT_DEBUG_GITHUB_API_URL=http://127.0.0.1:1")},
		WorkingDirectory: home,
		RequestHandler: &copilot.CopilotRequestHandler{
			Transport: listing{t: t},
			OpenWebSocket: func(r *copilot.CopilotRequestContext) (copilot.CopilotWebSocketHandler, error) {
				opened <- r
				return s, nil
			},
		},
	})
	session := create(t, client, copilot.SessionConfig{Model: "gpt-6", Streaming: new(true)})
	if answer := session.ask("Hello"); answer != "Over the socket." {
		t.Errorf("the answer is %q", answer)
	}
	if r := <-opened; !strings.HasPrefix(r.URL, "ws://127.0.0.1:1/") || !strings.HasSuffix(r.URL, "/responses") || r.SessionID != session.SessionID {
		t.Errorf("the socket is %+v", r)
	}
	<-s.done // it is closed after the answer
	s.mu.Lock()
	defer s.mu.Unlock()
	var sent struct {
		Type   string
		Model  string
		Stream *bool
	}
	if len(s.got) != 1 || json.Unmarshal([]byte(s.got[0]), &sent) != nil || sent.Type != "response.create" || sent.Model != "gpt-6" || sent.Stream != nil {
		t.Errorf("the messages are %q", s.got)
	}
	if usage := await[*copilot.AssistantUsageData](t, session.ear, 1); usage.APIEndpoint == nil || *usage.APIEndpoint != "ws:/responses" {
		t.Errorf("the call is reported as %v", usage.APIEndpoint)
	}
}

// Such a model is called over HTTP if the client or the environment has switched WebSockets off, and if the
// program cannot open one.
func TestAProgramMakesTheModelCallsOverHTTP(t *testing.T) {
	for name, tc := range map[string]struct {
		environ string
		capi    *copilot.CapiSessionOptions
		update  *rpc.CapiSessionOptions
		opened  int // how many WebSockets the program is asked for
	}{
		"switched off by the client":      {"A=b", &copilot.CapiSessionOptions{EnableWebSocketResponses: new(false)}, nil, 0},
		"switched off later":              {"A=b", nil, &rpc.CapiSessionOptions{EnableWebSocketResponses: new(false)}, 0},
		"switched off by the environment": {"COPILOT_CLI_DISABLE_WEBSOCKET_RESPONSES=true", nil, nil, 0},
		"refused by the program":          {"A=b", nil, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			var mu sync.Mutex
			opened := 0
			client := started(t, copilot.ClientOptions{
				Connection: copilot.StdioConnection{Path: binary, Env: append(environment(home), "GH_TOKEN=gh", "COPILOT_API_URL=http://127.0.0.1:1",
					"COPILOT_DEBUG_GITHUB_API_URL=http://127.0.0.1:1", tc.environ)},
				WorkingDirectory: home,
				RequestHandler: &copilot.CopilotRequestHandler{
					Transport: listing{t: t, answers: true},
					OpenWebSocket: func(*copilot.CopilotRequestContext) (copilot.CopilotWebSocketHandler, error) {
						mu.Lock()
						defer mu.Unlock()
						opened++
						return nil, errors.New("the proxy of this network has no WebSockets")
					},
				},
			})
			session := create(t, client, copilot.SessionConfig{Model: "gpt-6", Streaming: new(true), Capi: tc.capi})
			if tc.update != nil {
				if _, err := session.RPC.Options.Update(t.Context(), &rpc.SessionUpdateOptionsParams{Capi: tc.update}); err != nil {
					t.Fatal(err)
				}
			}
			if answer := session.ask("Hello"); answer != "Over HTTP." {
				t.Errorf("the answer is %q", answer)
			}
			if usage := await[*copilot.AssistantUsageData](t, session.ear, 1); usage.APIEndpoint == nil || *usage.APIEndpoint != "/responses" {
				t.Errorf("the call is reported as %v", usage.APIEndpoint)
			}
			mu.Lock()
			defer mu.Unlock()
			if opened != tc.opened {
				t.Errorf("the program was asked for %d WebSockets, want %d", opened, tc.opened)
			}
		})
	}
}
