package turn

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// What says that something goes on is a state only where a tool can report one, and only in whole words.
func TestWhatReportsAState(t *testing.T) {
	ended := &tool.Exit{Code: 1}
	for _, tc := range []struct {
		tool   string
		origin tool.Origin
		text   string
		exit   *tool.Exit
		want   bool
	}{
		{"bash", tool.Builtin, "3 passing, 1 pending, 1 failing", ended, false},
		{"bash", tool.Builtin, "<still running after 30 seconds, shellId: 1>", nil, true},
		{"read_bash", tool.Builtin, "<no new output, still running, shellId: 1>", nil, true},
		{"read_bash", tool.Builtin, "1 pending", ended, false},
		{"read_agent", tool.Builtin, "Agent is still running. ", nil, true},
		{"sql", tool.Builtin, "pending", nil, false},
		{"web_fetch", tool.Builtin, "We are waiting for you.", nil, false},
		{"view", tool.Custom, "pending", nil, false},
		{"job", tool.Custom, `{"state":"PENDING"}`, nil, true},
		{"ci-run", tool.MCP, "build_pending", nil, true},
		{"ci-run", tool.MCP, "running for 3 s", nil, true},
		{"ci-run", tool.MCP, "Spending was 3, suspending 2, preprocessing 1, awaitings 0.", nil, false},
		{"ci-run", tool.MCP, "Spending is pending.", nil, true},
		{"ci-run", tool.MCP, "ärunning for", nil, false},
		{"ci-run", tool.MCP, "awaiting a runner", nil, true},
	} {
		d, res := tool.Definition{Name: tc.tool, Origin: tc.origin}, tool.Result{Text: tc.text, Exit: tc.exit}
		if got := reports(&d, &res) && underWay(res.Text); got != tc.want {
			t.Errorf("%s, %q: %v, want %v", tc.tool, tc.text, got, tc.want)
		}
	}
}
