package session_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A model that could name any provider for a sub-agent could send there whatever the sub-agent
// reads. It can name models of the session's own provider, and those that the user has set.
func TestAModelDoesNotChooseTheProviderOfASubAgent(t *testing.T) {
	for name, tc := range map[string]struct {
		model string
		set   map[string]string
		sent  string // the result of the call has it
	}{
		"another provider":        {"far:m", nil, "which only the user can choose"},
		"set by the user":         {"far:m", map[string]string{"explore": "far:m"}, "it is done"},
		"the session's own":       {"other", nil, "it is done"},
		"an address of one's own": {"far:#x", nil, "which only the user can choose"},
	} {
		t.Run(name, func(t *testing.T) {
			asks := modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "task", `{"agent_type":"explore","name":"n","description":"d","prompt":"do it","mode":"sync","model":"`+tc.model+`"}`)}}
			d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Named: far, AgentModels: tc.set}}
			bubble(t, d, func(d *desk) {
				c := d.create(wire.Config{SessionID: "s1"})
				c.send("go")
				done := c.until("tool.execution_complete")
				if text := string(done.Data); !strings.Contains(text, tc.sent) {
					t.Errorf("the call of task ended with %s, want %q", text, tc.sent)
				}
				c.until("session.idle")
			}, asks, first("do it", modeltest.Reply{Text: "it is done", Repeat: true}), modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}
