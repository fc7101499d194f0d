//go:build linux

package shell_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// endWait is how long a command of TestEndsAreSeen may take. It is seen to run on if its end is not seen.
const endWait = 20 * time.Second

const (
	unusable = "[the command has left its shell unusable; the next command gets a new one]\n"
	unknown  = "[the command has left its shell unusable; its exit status is not known; the next command gets a new one]\n"
)

// ending is a line and how it ends.
type ending struct {
	text, want string // want: output without the messages of the shell itself
	code       int
	sh         bool // also in a plain sh, with the same result
}

// endings are lines that do something to the shell that runs them.
func endings() []ending {
	return []ending{
		// Errors that make bash give up the line.
		{text: "echo $((a[$(echo '(')])); echo same\necho next", code: 1},
		{text: "declare -i x; x=1/0; echo b", code: 1},
		{text: "f() { echo $((a[/])) 2>/dev/null; }; { f; } 2>/dev/null; echo b", code: 1},
		{text: "set -o posix; shift 5 x; echo b", code: 1},
		{text: "trap 'echo err' ERR; echo $((a[/])); echo b", code: 1},
		{text: "trap 'echo bye' EXIT; echo $((a[/])); echo b", code: 1},
		{text: "source /dev/stdin <<< 'echo $((a[/]))' 2>/dev/null; echo b", code: 1},
		{text: "set -x; echo $((a[/]))", code: 1},
		{text: "set -e; echo $((a[/])); echo b", code: 1},
		{text: "exec >/dev/null 2>&1; echo $((a[/]))", code: 1},
		{text: "cat <<E; echo b\n$((a[/]))\nE", want: "b\n"},
		{text: "echo a \\", want: "a \\\n", sh: true},
		// Errors that end the shell, or only a command.
		{text: "echo ${x:?gone}; echo b", code: 1},
		{text: "readonly R=1; R=2; echo b", code: 1},
		{text: "set -o posix; readonly R=1; R=2; echo b", code: 1},
		{text: "echo $((1/0)); echo b", code: 1},
		{text: "eval ')'; echo b", want: "b\n"},
		{text: "trap 'exit 9' DEBUG; echo a", code: 9},
		{text: "kill $$; echo b", code: 143, sh: true},
		{text: "kill -PIPE $$; echo b", code: 141, sh: true},
		{text: "set -t; (exit 3)", code: 3},
		// What takes its means of reporting from the shell.
		{text: "set -n; echo a", want: unusable, sh: true},
		{text: "shopt -s extdebug; trap false DEBUG; echo a", want: unusable},
		{text: "set -r; (exit 3)", code: 3},
		{text: "command() { :; }; (exit 3)", want: unknown, code: 1, sh: true},
		{text: "enable -n printf command eval set; (exit 3)", want: unknown, code: 127},
		{text: "for i in 9 10 11 12 13 14 15 16 17 18 19 20; do eval \"exec $i>&-\"; done; (exit 6)", code: 6},
		{text: "shopt -s expand_aliases; alias command=echo; (exit 3)", code: 3},
		{text: "alias command=echo set=echo; (exit 3)", code: 3, sh: true},
		{text: "printf() { :; }; eval() { :; }; (exit 3)", code: 3},
		{text: "PROMPT_COMMAND='exit 4'; TMOUT=1; IFS=0123456789; readonly PWD OPTIND; (exit 3)", code: 3},
	}
}

// Whatever a line does to the shell that runs it, its end is seen at once, with its status, and the next
// line is run.
func TestEndsAreSeen(t *testing.T) {
	for _, tc := range endings() {
		programs := []string{"bash"}
		if tc.sh {
			programs = append(programs, "sh")
		}
		for _, program := range programs {
			if _, err := exec.LookPath(program); err != nil {
				continue
			}
			t.Run(program+" "+tc.text, func(t *testing.T) {
				s, dir := open(t, shell.Options{Program: program})
				c := shell.Command{Text: tc.text, Dir: dir, Mode: shell.Sync, Wait: endWait}
				r, err := s.Run(t.Context(), c)
				if err != nil || r.Running {
					t.Fatalf("it is still running: %+v, %v", r, err)
				}
				if got := said(r.Output); got != tc.want || r.Code != tc.code {
					t.Errorf("%q, %d; want %q, %d", got, r.Code, tc.want, tc.code)
				}
				c.Text = "echo on"
				if next, err := s.Run(t.Context(), c); err != nil || said(next.Output) != "on\n" || next.Shell != r.Shell {
					t.Errorf("the next command: %+v, %v", next, err)
				}
			})
		}
	}
}

// said is the output of a command without what its shell itself says.
func said(output string) string {
	var kept strings.Builder
	for l := range strings.Lines(output) {
		if !strings.HasPrefix(l, "bash: ") && !strings.HasPrefix(l, "sh: ") && !strings.HasPrefix(l, "+") {
			kept.WriteString(l)
		}
	}
	return kept.String()
}

// A shell that runs a long command is not taken for one that cannot report its end.
func TestALongCommandKeepsItsShell(t *testing.T) {
	for _, program := range []string{"bash", "sh"} {
		s, dir := open(t, shell.Options{Program: program})
		long := "f() { echo f; }; X=1; sleep 1; : " + strings.Repeat("x", 100<<10)
		for _, text := range []string{"sleep 1; " + long, "sleep 1"} {
			if r := run(t, s, dir, text); r.Output != "" || r.Code != 0 {
				t.Errorf("%s: %+v", program, r)
			}
		}
		if r := run(t, s, dir, "echo $X; f"); r.Output != "1\nf\n" {
			t.Errorf("%s: the shell has lost its state: %q", program, r.Output)
		}
	}
}

// A command that leaves no room for another process does not keep its report waiting.
func TestAReportIsNotWaitedFor(t *testing.T) {
	s, dir := open(t, shell.Options{})
	const forge = `cd /; for i in 10 11 12 13 14 15; do test "$(readlink /proc/$$/fd/$i)" = "$(readlink /proc/$$/fd/1)" || printf '4\0/\0A=1' >/proc/$$/fd/$i; done; sleep 300`
	r := run(t, s, dir, forge)
	if r.Code != 4 {
		t.Errorf("%+v", r)
	}
	if r := run(t, s, dir, "pwd"); r.Output != "/\n" {
		t.Errorf("%q", r.Output)
	}
}
