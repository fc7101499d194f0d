package front_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// window starts a shell in a window of tmux, which has the program as $SIDE.
func (d *desk) window() *glass.Tmux {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	var b strings.Builder
	for _, v := range d.environment() {
		fmt.Fprintf(&b, "export '%s'\n", v)
	}
	fmt.Fprintf(&b, "export TERM=tmux-256color SIDE='%s' ENV= PS1='ready '\ncd '%s'\nexec sh -i\n", self, d.folder)
	setup := filepath.Join(d.home, "setup")
	if err := os.WriteFile(setup, []byte(b.String()), 0o600); err != nil {
		d.t.Fatal(err)
	}
	m := glass.NewTmux(d.t, 80, 24, "sh '"+setup+"'")
	m.WaitFor("ready")
	m.Keys("$SIDE chat", "Enter")
	m.WaitFor("› Ask anything")
	return m
}

// Ctrl-Z gives the terminal to the shell, and fg brings back what was typed.
func TestSuspended(t *testing.T) {
	t.Parallel()
	d := newDesk(t, say("Hello."))
	m := d.window()
	m.Keys("-l", "a draft")
	m.WaitFor("› a draft")
	m.Keys("C-z")
	m.Wait("the shell", func() bool { rows := m.Rows(); return rows[len(rows)-1] == "ready" })
	m.Keys("echo typed $((40+2))", "Enter")
	m.WaitFor("typed 42")
	m.Keys("fg", "Enter")
	m.WaitFor("› a draft")
	m.Keys("Enter")
	m.WaitFor("Hello.")
	m.Keys("C-d")
	m.Wait("the shell", func() bool { rows := m.Rows(); return rows[len(rows)-1] == "ready" })
}

// The window changes its size in each state: nothing is missing, doubled or left behind.
func TestSizes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reply modeltest.Reply
		shows string // in each size
	}{
		"idle":           {say("Hello there."), "Hello there."},
		"at work":        {modeltest.Silent(), "waiting for the prov"},
		"at a question":  {touch("one"), "Allow: run $ touch one"},
		"a long answer":  {say(modeltest.Varied(1000) + " end."), "end."},
		"an answer asks": {call("ask_user", `{"question":"Which?","choices":["red","blue"]}`), "The model asks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tc.reply, say("Over."))
			m := d.window()
			m.Keys("-l", "MARK")
			m.WaitFor("› MARK")
			m.Keys("Enter")
			m.WaitFor(tc.shows)
			for _, size := range [][2]int{{60, 24}, {30, 12}, {100, 30}, {80, 24}} {
				m.Resize(size[0], size[1])
				m.Wait("one of each", func() bool {
					all := strings.Join(m.Rows(), "\n")
					return strings.Count(all, "› MARK") == 1 && strings.Count(all, tc.shows) == 1 && strings.Count(all, "› Ask") == 1 && strings.Count(all, "test-model") <= 1
				})
			}
			m.Keys("C-c")
			m.Keys("C-c")
			m.Wait("the shell", func() bool {
				rows := m.Rows()
				if rows[len(rows)-1] == "ready" {
					return true
				}
				m.Keys("C-c")
				return false
			})
		})
	}
}
