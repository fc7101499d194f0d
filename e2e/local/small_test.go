//go:build local

package local

import (
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/google/go-cmp/cmp"
)

// A window of 8,192 tokens is small, so the small set of tools and a short system text are chosen by themselves. Both
// and the message are at most 1,500 tokens by the server's own count.
func TestTheSmallSetIsChosen(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 10})
	p := before(t, m, 0, 0)
	c := start(t, t.TempDir(), "SIDESTICK_BASE_URL="+p.url+"/v1", "SIDESTICK_MODEL=smollm2")
	s := newTalk(t)
	var err error
	if s.Session, err = c.CreateSession(soon(t), &copilot.SessionConfig{
		OnEvent: s.hear, Streaming: copilot.Bool(true), WorkingDirectory: t.TempDir(), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	}); err != nil {
		t.Fatal(err)
	}
	s.ask("Hello.")
	if diff := cmp.Diff([]string{"bash", "create", "edit", "glob", "grep", "read_bash", "stop_bash", "view"}, p.tools(t)); diff != "" {
		t.Errorf("the tools of the request (-want +got):\n%s", diff)
	}
	usage := all[*copilot.AssistantUsageData](s)
	if len(usage) == 0 {
		t.Fatalf("the model was not called:\n%s", s.told())
	}
	tokens := count(usage[0].InputTokens)
	t.Logf("the prompt has %d tokens", tokens)
	if tokens > 1500 {
		t.Errorf("the prompt has %d tokens by the server's count; want at most 1,500", tokens)
	}
}
