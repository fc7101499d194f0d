package screen

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	seen "github.com/sidestick-dev/sidestick/internal/testing/glass"
)

// tmux is a window of tmux that runs the program.
type tmux struct {
	*seen.Tmux
	t *testing.T
}

// startTmux starts the program in a window.
func startTmux(t *testing.T, columns, rows int) *tmux {
	t.Helper()
	m := newTmux(t, columns, rows, "sh -c '$PROGRAM; echo left; cat'")
	m.WaitFor("final 6") // tmux tells no new size in the first 250 ms of a window
	return m
}

// newTmux starts a command of the shell in a window. $PROGRAM is the command of the program.
func newTmux(t *testing.T, columns, rows int, command string) *tmux {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &tmux{seen.NewTmux(t, columns, rows, "env PROGRAM='env "+program+"=1 "+self+"' "+command), t}
}

// drag changes the size in steps of one column and one row, while rows change.
func (m *tmux) drag(from, to size, step time.Duration) {
	m.Keys("s") // what is being written while the first step happens can be anywhere
	m.WaitFor("live still")
	for first := true; from != to; first = false {
		from.columns += cmp.Compare(to.columns, from.columns)
		from.rows += cmp.Compare(to.rows, from.rows)
		m.Resize(from.columns, from.rows)
		if first {
			m.told(from)
			m.Keys("m")
		}
		seen.Pause(step)
	}
	m.painted(to.columns)
}

// told waits until the program can know the size.
func (m *tmux) told(s size) {
	device := strings.TrimSpace(m.Run("display-message", "-p", "#{pane_tty}"))
	m.Wait("the new size", func() bool {
		out, _ := exec.Command("stty", "-F", device, "size").Output()
		return strings.TrimSpace(string(out)) == fmt.Sprint(s.rows, s.columns)
	})
}

// painted waits until the live rows are as wide as the terminal, and returns all rows.
func (m *tmux) painted(columns int) (rows []string) {
	m.Wait("the new size", func() bool {
		rows = m.Rows()
		last := rows[len(rows)-1]
		return len(last) == columns && strings.HasPrefix(last, "status")
	})
	return rows
}
