//go:build unix

package tool_test

import (
	"strings"
	"testing"
)

// The model reads that the user has moved the command to the background, and how it goes on.
func TestTheModelIsToldOfACommandThatWasMoved(t *testing.T) {
	x := newTerminal(t, nil)
	x.wake = func() { x.shells.Background() }
	c := x.request(t, "bash", `{"command":"echo begins; tail -f /dev/null","description":"waits"}`)
	res := x.tools["bash"].Run(t.Context(), c)
	if !strings.Contains(res.Text, "begins\n<still running, shellId: ") || !strings.Contains(res.Text, "the user has moved it to the background") {
		t.Errorf("the result is %q", res.Text)
	}
}
