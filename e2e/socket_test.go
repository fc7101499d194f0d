package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
)

// listing is the part of a program that answers the Copilot API's list of models, and no call of a
// model: those go over the WebSocket.
type listing struct{ t *testing.T }

func (l listing) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"data":[{"id":"gpt-6","supported_endpoints":["/responses","ws:/responses"],"capabilities":{"limits":{"max_context_window_tokens":200000}}}]}`
	if r.Method != http.MethodGet {
		l.t.Errorf("%s %s", r.Method, r.URL)
		body = "{}"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
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
			"COPILOT_DEBUG_GITHUB_API_URL=http://127.0.0.1:1", "COPILOT_EXP_COPILOT_CLI_WEBSOCKET_RESPONSES=true")},
		WorkingDirectory: home,
		RequestHandler: &copilot.CopilotRequestHandler{
			Transport: listing{t},
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
