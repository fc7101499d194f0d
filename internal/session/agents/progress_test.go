package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The progress of a sub-agent names the calls and the commands that failed.
func TestTheProgressOfASubAgentNamesFailures(t *testing.T) {
	var p progress
	p.note(
		&wire.ToolStart{ToolName: "bash"}, &wire.ToolComplete{Success: true, ShellExecution: &wire.ToolExit{ExitCode: 0}},
		&wire.ToolStart{ToolName: "bash"}, &wire.ToolComplete{Success: true, ShellExecution: &wire.ToolExit{ExitCode: 3}},
		wire.With(&wire.ToolStart{ToolName: "view"}, wire.ToolStartMore{ReadOnly: true}), &wire.ToolComplete{},
	)
	var got []string
	for _, line := range p.now().RecentActivity {
		got = append(got, line.Message)
	}
	want := []string{"▸ bash", "▸ bash", "✗ a command ended with exit code 3", "▸ view", "✗ a tool call failed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}
