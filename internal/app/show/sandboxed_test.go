package show

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// The result of a command says that it ran in a sandbox, also if the line is cut.
func TestAResultSaysThatItsCommandWasSandboxed(t *testing.T) {
	n := &rows{width: 30}
	for title, want := range map[string]string{
		"3 lines": "  3 lines · sandboxed\n",
		"a line that is much longer than the screen": "  a line that is … · sandboxed\n",
	} {
		if got := n.text(timeline.Row{Kind: timeline.Result, Title: title, Sandboxed: true}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
