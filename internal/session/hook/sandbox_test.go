package hook_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
)

// Hooks of files come from the repository, so they run in the sandbox of the session, or not at
// all. Those of clients are the client's own business.
func TestHooksOfFilesRunInTheSandbox(t *testing.T) {
	policy := &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{"/repo"}}
	boxes := &sandbox.Boxes{}
	for _, tc := range []struct {
		fails error
		ran   int
	}{{nil, 1}, {errors.New("no sandbox works here"), 0}} {
		s, r := &recorder{}, &repository{}
		r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"a"}]}}`)
		h := hook.New(hook.Options{
			Session: s, SessionID: "s1", Files: r.files(), Logger: slog.New(slog.DiscardHandler),
			Sandbox: func(context.Context) (*sandbox.Boxes, *sandbox.Policy, error) { return boxes, policy, tc.fails },
		})
		h.ReadFiles(atRepo)
		called := false
		h.SetClient(peer(func(context.Context, string, map[string]any) (any, error) { called = true; return nil, nil }), t.Context())
		h.PreToolUse(t.Context(), lookup)
		if len(r.ran) != tc.ran || tc.ran > 0 && (r.ran[0].Sandbox != policy || r.ran[0].Boxes != boxes) {
			t.Errorf("ran %+v", r.ran)
		}
		if got := strings.Join(s.log(), "\n"); !called || tc.fails != nil && !strings.Contains(got, "a.json: no sandbox works here") {
			t.Errorf("client called: %v; events:\n%s", called, got)
		}
	}
}
