package screen

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tmux is a server of its own, with one window that runs the program.
type tmux struct {
	t      *testing.T
	socket string
}

// startTmux starts the program in a window.
func startTmux(t *testing.T, columns, rows int) *tmux {
	t.Helper()
	m := newTmux(t, columns, rows, "sh -c '$PROGRAM; echo left; cat'")
	m.waitFor("final 6") // tmux tells no new size in the first 250 ms of a window
	return m
}

// newTmux starts a command of the shell in a window. $PROGRAM is the command of the program.
func newTmux(t *testing.T, columns, rows int, command string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, socket: filepath.Join(t.TempDir(), "socket")}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	m.run("new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "env PROGRAM='env "+program+"=1 "+self+"' "+command)
	m.run("set-option", "-g", "window-size", "manual")
	return m
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", m.socket, "-f", os.DevNull}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) { m.run(append([]string{"send-keys"}, keys...)...) }

// pause lets the program and tmux work. The test waits for what happens, not for this time.
func pause(d time.Duration) { <-time.After(d) }

// rows are those of the scrollback and the screen; wrapped ones are joined.
func (m *tmux) rows() []string {
	var out []string
	for _, l := range strings.Split(m.run("capture-pane", "-p", "-J", "-S", "-"), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// waitFor waits until a row contains text.
func (m *tmux) waitFor(text string) []string {
	m.t.Helper()
	var rows []string
	m.wait(func() bool {
		rows = m.rows()
		return strings.Contains(strings.Join(rows, "\n"), text)
	})
	return rows
}

// drag changes the size in steps of one column and one row, while rows change.
func (m *tmux) drag(from, to size, step time.Duration) {
	m.t.Helper()
	m.keys("s") // what is being written while the first step happens can be anywhere
	m.waitFor("live still")
	for first := true; from != to; first = false {
		from.columns += cmp.Compare(to.columns, from.columns)
		from.rows += cmp.Compare(to.rows, from.rows)
		m.run("resize-window", "-x", strconv.Itoa(from.columns), "-y", strconv.Itoa(from.rows))
		if first {
			m.told(from)
			m.keys("m")
		}
		pause(step)
	}
	m.painted(to.columns)
}

// told waits until the program can know the size.
func (m *tmux) told(s size) {
	m.t.Helper()
	device := strings.TrimSpace(m.run("display-message", "-p", "#{pane_tty}"))
	m.wait(func() bool {
		out, _ := exec.Command("stty", "-F", device, "size").Output()
		return strings.TrimSpace(string(out)) == fmt.Sprint(s.rows, s.columns)
	})
}

// painted waits until the live rows are as wide as the terminal, and returns all rows.
func (m *tmux) painted(columns int) (rows []string) {
	m.t.Helper()
	m.wait(func() bool {
		rows = m.rows()
		last := rows[len(rows)-1]
		return len(last) == columns && strings.HasPrefix(last, "status")
	})
	return rows
}

// wait waits until something is so.
func (m *tmux) wait(so func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); pause(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	m.t.Fatalf("it takes too long:\n%s", strings.Join(m.rows(), "\n"))
}
