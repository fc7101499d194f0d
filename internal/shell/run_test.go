//go:build unix

package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

// enough is longer than any command of these tests takes; no test waits that long.
const enough = time.Minute

// bash skips a test on a machine without bash.
func bash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine: ", err)
	}
}

// open returns the shells of a session that works in a new directory.
func open(t *testing.T, opts shell.Options) (s *shell.Shells, dir string) {
	t.Helper()
	bash(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opts.Temp = filepath.Join(dir, "session", "temp")
	if opts.Env == nil {
		opts.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	}
	opts.Keeper = os.Args[0]
	s = shell.New(opts)
	t.Cleanup(s.Close)
	return s, dir
}

// run runs a command to its end in the main shell.
func run(t *testing.T, s *shell.Shells, dir, text string) shell.Report {
	t.Helper()
	r, err := s.Run(t.Context(), shell.Command{Text: text, Dir: dir, Mode: shell.Sync, Wait: enough})
	if err != nil {
		t.Fatalf("Run(%q): %v", text, err)
	}
	if r.Running {
		t.Fatalf("Run(%q) is still running", text)
	}
	return r
}

// In messages of bash, line numbers count from the start of the shell, and process ids
// differ from run to run.
var (
	line = regexp.MustCompile(`line \d+`)
	pid  = regexp.MustCompile(` *\d+ Killed +`)
)

func TestOneCommand(t *testing.T) {
	s, dir := open(t, shell.Options{})
	for _, tc := range []struct {
		name, text, want string
		code             int
	}{
		{name: "output and status", text: "echo hello && echo world", want: "hello\nworld\n"},
		{name: "both streams in order", text: "echo a; echo b >&2; echo c", want: "a\nb\nc\n"},
		{name: "a status that is not zero", text: "echo a; (exit 42)", want: "a\n", code: 42},
		{name: "exit", text: "echo a; exit 3; echo b", want: "a\n", code: 3},
		{name: "no output", text: "true"},
		{name: "no newline at the end", text: "printf x", want: "x"},
		{name: "many lines", text: "for i in 1 2\ndo\n\techo $i\ndone", want: "1\n2\n"},
		{name: "quotes of all kinds", text: `echo 'a'"'b'"\'c`, want: "a'b''c\n"},
		{name: "a heredoc", text: "cat <<E\nit's $((1+1))\nE\n", want: "it's 2\n"},
		{name: "a heredoc without an end", text: "cat <<E\nx", want: "bash: line N: warning: here-document at line N delimited by end-of-file (wanted `E')\nx\n"},
		{name: "an incomplete command", text: "echo a\nif true", want: "a\nbash: eval: line N: syntax error: unexpected end of file\n", code: 2},
		{name: "a parenthesis too many", text: "echo )", want: "bash: eval: line N: syntax error near unexpected token `)'\nbash: eval: line N: `echo )'\n", code: 2},
		{name: "a quote without its end", text: "echo 'x", want: "bash: eval: line N: unexpected EOF while looking for matching `''\n", code: 2},
		{name: "no such command", text: "nosuch x", want: "bash: line N: nosuch: command not found\n", code: 127},
		{name: "input is empty", text: "cat; read x; echo $?", want: "1\n"},
		{name: "set -e ends the shell", text: "set -e; echo a; false; echo b", want: "a\n", code: 1},
		{name: "set -eu pipefail", text: "set -euo pipefail\nfalse | true\necho no", code: 1},
		{name: "set -x is traced, the script is not", text: "set -x; echo a", want: "++ echo a\na\n"},
		{name: "and is over with the command", text: "echo a", want: "a\n"},
		{name: "set -v", text: "set -v; echo a", want: "a\n"},
		{name: "set -u and a variable that is not set", text: "set -u; echo $nope", want: "bash: line N: nope: unbound variable\n", code: 1},
		{name: "exec", text: "exec sh -c 'echo a; exit 5'", want: "a\n", code: 5},
		{name: "exec of a file", text: "exec >file; echo lost", want: ""},
		{name: "does not last", text: "cat file", want: "lost\n"},
		{name: "exec of every descriptor", text: "exec 0<&- 1>&- 2>&- 3>&- 8>&- 9>&-"},
		{name: "does not last either", text: "echo a", want: "a\n"},
		{name: "return", text: "return 7; echo a", want: "bash: line N: return: can only `return' from a function or sourced script\na\n"},
		{name: "break", text: "break; echo a", want: "bash: line N: break: only meaningful in a `for', `while', or `until' loop\na\n"},
		{name: "the shell is killed", text: "echo a; kill -9 $$", want: "a\n", code: 137},
		{name: "a program is killed", text: "sh -c 'kill -9 $$' 2>/dev/null", want: "bash: line N: PID Killed sh -c 'kill -9 $$' 2> /dev/null\n", code: 137},
		{name: "a report cannot be forged", text: `printf '0\0/\0\0' 2>/dev/null >&9; echo a`, want: "a\n"},
		{name: "a comment", text: "# nothing", want: ""},
		{name: "a backslash at the end", text: `echo a \`, want: "a \\\n"},
		{name: "an ampersand at the end", text: "echo a; true &", want: "a\n"},
		{name: "bytes that are no text", text: `printf 'a\377\000\033[31mb\n'`, want: "a\uFFFDb\n"},
		{name: "a progress bar", text: `printf '1%%\r2%%\r'; echo done`, want: "done\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := run(t, s, dir, tc.text)
			r.Output = line.ReplaceAllString(r.Output, "line N")
			r.Output = pid.ReplaceAllString(r.Output, " PID Killed ")
			if r.Output != tc.want || r.Code != tc.code {
				t.Errorf("%q = %q, %d; want %q, %d", tc.text, r.Output, r.Code, tc.want, tc.code)
			}
		})
	}
}

func TestStateStays(t *testing.T) {
	s, dir := open(t, shell.Options{})
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range []string{
		"cd sub; export A=1; B=2; f() { echo in f; }",
		"pwd; echo $A $B; f",
		"cd ..; export A='x\ny'; exit 3", // the shell is replaced; what it exported is not lost
		"pwd; echo \"$A$B\"",
		"cd sub; set -e; false",
		"pwd",
		"trap 'echo bye' EXIT; cd ..; exit 4", // this trap replaces ours, so the directory is lost
		"pwd",
	} {
		got = append(got, strings.ReplaceAll(run(t, s, dir, text).Output, dir, "DIR"))
	}
	want := []string{"", "DIR/sub\n1 2\nin f\n", "", "DIR\nx\ny\n", "", "DIR/sub\n", "bye\n", "DIR/sub\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A working directory that was deleted is named, and not the shell.
func TestADeletedWorkingDirectoryIsNamed(t *testing.T) {
	s, dir := open(t, shell.Options{})
	gone := filepath.Join(dir, "gone")
	for _, mode := range []shell.Mode{shell.Sync, shell.Async, shell.Detached} {
		_, err := s.Run(t.Context(), shell.Command{Text: "ls", Dir: gone, Mode: mode, Wait: enough})
		if err == nil || !strings.Contains(err.Error(), "the working directory "+gone+" cannot be used: no such file or directory") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
}
