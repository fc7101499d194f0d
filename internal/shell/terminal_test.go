//go:build unix

package shell_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// talk is a dialogue with a program at a terminal.
type talk struct {
	t  *testing.T
	s  *shell.Shells
	id string
	// said is all of its output.
	said string
	last shell.Report
}

func start(t *testing.T, s *shell.Shells, dir, text string) *talk {
	t.Helper()
	r, err := s.Run(t.Context(), shell.Command{Text: text, Dir: dir, Mode: shell.Async, Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &talk{t, s, r.Shell, r.Output, r}
}

// until reads until the output ends with a text.
func (x *talk) until(end string) {
	x.t.Helper()
	for !strings.HasSuffix(x.said, end) {
		if !x.last.Running {
			x.t.Fatalf("it ended with %d after %q; %q was expected", x.last.Code, x.said, end)
		}
		x.take(x.s.Read(x.t.Context(), x.id, 10*time.Millisecond))
	}
}

func (x *talk) types(input string) {
	x.t.Helper()
	x.take(x.s.Write(x.t.Context(), x.id, shell.Keys(input), 0))
}

func (x *talk) take(r shell.Report, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatalf("after %q: %v", x.said, err)
	}
	x.last, x.said = r, x.said+r.Output
}

// ends reads to the end of the command and checks its status and all of its output.
func (x *talk) ends(code int, said string) {
	x.t.Helper()
	for x.last.Running {
		x.take(x.s.Read(x.t.Context(), x.id, enough))
	}
	if x.last.Code != code || x.said != said {
		x.t.Errorf("it ended with %d after %q; want %d, %q", x.last.Code, x.said, code, said)
	}
}

func TestDialogue(t *testing.T) {
	s, dir := open(t, shell.Options{})
	run(t, s, dir, "mkdir sub; cd sub; export A=1")
	x := start(t, s, dir, `pwd; echo $A; test -t 0 && test -t 1 && echo tty; read -p "Name? " n; echo "Hello, $n."; exit 3`)
	x.until("Name? ")
	x.types("Ann{enter}")
	x.ends(3, dir+"/sub\n1\ntty\nName? Ann\nHello, Ann.\n")
	if list := s.List(); len(list) != 1 || list[0].Mode != shell.Sync {
		t.Errorf("shells that stay: %+v", list)
	}
}

func TestInterruptAtATerminal(t *testing.T) {
	s, dir := open(t, shell.Options{})
	x := start(t, s, dir, `trap 'echo caught; exit 5' INT; printf ready; while :; do sleep 0.01; done`)
	x.until("ready")
	x.types("{ctrl-c}")
	x.ends(5, "ready^Ccaught\n")
}

func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine: ", err)
	}
	s, dir := open(t, shell.Options{})
	x := start(t, s, dir, "python3 -q -i -E -S")
	x.until(">>> ")
	x.types("6 * 7{enter}")
	x.until("42\n>>> ")
	x.types("raise SystemExit(9){enter}")
	for x.last.Running {
		x.take(s.Read(t.Context(), x.id, enough))
	}
	if x.last.Code != 9 {
		t.Errorf("it ended with %d after %q", x.last.Code, x.said)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	s, dir := open(t, shell.Options{})
	if _, err := s.Write(t.Context(), "nope", "x", 0); fault.KindOf(err) != fault.NotFound {
		t.Errorf("to no shell: %v", err)
	}
	r, err := s.Run(t.Context(), shell.Command{Text: "sleep 100", Dir: dir, Mode: shell.Sync, Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), r.Shell, "x", 0); fault.KindOf(err) != fault.Invalid {
		t.Errorf("to one without a terminal: %v", err)
	}
	if _, err := s.Run(t.Context(), shell.Command{Text: "true", Shell: r.Shell, Dir: dir, Mode: shell.Sync}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a command for a busy shell: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(ctx, r.Shell, enough); fault.KindOf(err) != fault.Canceled {
		t.Errorf("a read that is given up: %v", err)
	}
	if list := s.List(); len(list) != 1 || !list[0].Running {
		t.Errorf("it hurt the command: %+v", list)
	}
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain", "plain"},
		{"y{enter}", "y\r"},
		{"{up}{Down}{CTRL-C}{ctrl-d}", "\x1b[A\x1b[B\x03\x04"},
		{"{{enter}}{enter}", "{enter}\r"},
		{"{{enter}", "{\r"},
		{"f() { x; }", "f() { x; }"},
		{"{nope}{ctrl-1}{ctrl-}{", "{nope}{ctrl-1}{ctrl-}{"},
		{"${a}{tab}", "${a}\t"},
		{"{}}{{}}", "{}}{{}}"},
		{"{a{tab}", "{a\t"},
	} {
		if got := shell.Keys(tc.in); got != tc.want {
			t.Errorf("Keys(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
