package e2e_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/extension"
)

// librarian is an agent that sends the sources of its answers, and asks before it
// throws a book away.
func librarian(_ context.Context, r *extension.Request, w *extension.Writer) error {
	switch d := r.Decision(); {
	case d != nil && d.Accepted:
		return w.Text("It is gone.")
	case d != nil:
		return w.Text("It stays.")
	case r.Prompt() == "throw it away":
		return w.Confirm(extension.Confirmation{Title: "Throw it away", Message: "It is the last one.", Data: json.RawMessage(`{"id":"b1"}`)})
	}
	if err := w.Text("Once upon a time."); err != nil {
		return err
	}
	return w.References(extension.Reference{
		Type: "library.book", ID: "b1", Metadata: extension.Metadata{DisplayName: "A book", DisplayURL: "https://library.test/b1"},
	})
}

// agentAt starts an agent and returns its address.
func agentAt(t *testing.T, a extension.Agent) string {
	t.Helper()
	s := httptest.NewServer(extension.NewHandler(a, extension.HandlerOptions{Unsigned: true}))
	t.Cleanup(s.Close)
	return s.URL
}

// A program on an SDK talks to an agent as to a model: what it refers to are
// citations, and what it asks is a permission request.
func TestAnAgentAsTheModel(t *testing.T) {
	c := spawned(t)
	address := agentAt(t, librarian)
	for _, tc := range []struct {
		name   string
		config copilot.SessionConfig
	}{
		{"by the model's name", copilot.SessionConfig{Model: "extension:" + address}},
		{"as the provider", copilot.SessionConfig{Model: "librarian", Provider: &copilot.ProviderConfig{Type: "extension", BaseURL: address}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := make(chan *rpc.PermissionRequestCustomTool, 1)
			tc.config.OnPermissionRequest = func(r copilot.PermissionRequest, _ copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
				if q, ok := r.(*rpc.PermissionRequestCustomTool); ok {
					asked <- q
				}
				return &rpc.PermissionDecisionApproveOnce{}, nil
			}
			s := create(t, c, tc.config)
			if got := s.ask("tell me"); got != "Once upon a time." {
				t.Errorf("the agent says %q", got)
			}
			m := await[*copilot.AssistantMessageData](t, s.ear, 1)
			if m.Citations == nil || len(m.Citations.Sources) != 1 || *m.Citations.Sources[0].URL != "https://library.test/b1" {
				t.Errorf("the citations are %+v", m.Citations)
			}
			if got := s.ask("throw it away"); got != "It is gone." {
				t.Errorf("the agent says %q", got)
			}
			if q := <-asked; q.ToolName != "copilot_confirmation" || !q.RequiresManagedApproval() || !strings.Contains(q.ToolDescription, "It is the last one.") {
				t.Errorf("asked for %+v", q)
			}
		})
	}
}

// A program that approves everything leaves a confirmation to the user.
func TestApproveAllConfirmsNothing(t *testing.T) {
	home := t.TempDir()
	runtime := serve(t, home)
	config := copilot.SessionConfig{SessionID: "s1", Model: "extension:" + agentAt(t, librarian), OnPermissionRequest: copilot.PermissionHandler.ApproveAll}
	s := create(t, runtime.client(t), config)
	s.send("throw it away")
	person := resume(t, runtime.client(t), "s1", copilot.ResumeSessionConfig{})
	q := await[*copilot.PermissionRequestedData](t, s.ear, 1)
	_, err := person.RPC.Permissions.HandlePendingPermissionRequest(soon(t), &rpc.PermissionDecisionRequest{RequestID: q.RequestID, Result: &rpc.PermissionDecisionReject{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := await[*copilot.AssistantMessageData](t, s.ear, 2).Content; got != "It stays." {
		t.Errorf("the agent says %q", got)
	}
}
