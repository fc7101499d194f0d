package glass

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long [Tmux.Wait] waits.
const patience = 30 * time.Second

// step is how long a wait takes between two looks.
const step = 20 * time.Millisecond

// Tmux is a server of tmux, apart from that of the user, with one window. It ends with the test.
type Tmux struct {
	t      testing.TB
	socket string
}

// NewTmux starts a command of the shell in a window. The test is skipped where tmux is missing.
func NewTmux(t testing.TB, columns, rows int, command string) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	m := &Tmux{t: t, socket: filepath.Join(t.TempDir(), "socket")}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	m.Run("new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), command)
	m.Run("set-option", "-g", "window-size", "manual")
	return m
}

// Run runs a command of tmux, and returns what it prints.
func (m *Tmux) Run(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", m.socket, "-f", os.DevNull}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// Keys presses keys, by their names in tmux.
func (m *Tmux) Keys(keys ...string) {
	m.t.Helper()
	m.Run(append([]string{"send-keys"}, keys...)...)
}

// Resize gives the window another size.
func (m *Tmux) Resize(columns, rows int) {
	m.t.Helper()
	m.Run("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows))
}

// Rows are those of the scrollback and the screen; wrapped ones are joined.
func (m *Tmux) Rows() []string {
	m.t.Helper()
	var out []string
	for _, l := range strings.Split(m.Run("capture-pane", "-p", "-J", "-S", "-"), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	return full(out)
}

// WaitFor waits until a row contains text, and returns all rows.
func (m *Tmux) WaitFor(text string) (rows []string) {
	m.t.Helper()
	m.Wait("a row with "+text, func() bool {
		rows = m.Rows()
		return strings.Contains(strings.Join(rows, "\n"), text)
	})
	return rows
}

// Wait waits until something is so.
func (m *Tmux) Wait(what string, so func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); Pause(step) {
		if so() {
			return
		}
	}
	m.t.Fatalf("%s takes too long:\n%s", what, strings.Join(m.Rows(), "\n"))
}

// Pause lets other programs work. A test waits for what happens, not for this time.
func Pause(d time.Duration) { <-time.After(d) }
