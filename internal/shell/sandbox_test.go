//go:build linux

package shell_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// inside returns the shells of a session with sandboxes, and the policies for its directory,
// which only read and which write.
func inside(t *testing.T) (s *shell.Shells, dir string, reads, writes *sandbox.Policy) {
	t.Helper()
	state := t.TempDir()
	host := sandbox.NewHost(sandbox.Options{State: state})
	if support := host.Support(); !support.Has(sandbox.WorkspaceWrite) {
		attempt.Missing(t, "no sandbox works here: "+support.Why(sandbox.WorkspaceWrite))
	}
	boxes := host.Boxes(filepath.Join(state, "session"))
	t.Cleanup(boxes.Close)
	s, dir = open(t, shell.Options{Sandbox: boxes})
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return s, work, &sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{work}}, &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}}
}

// runIn runs a command to its end in the main shell of a policy.
func runIn(t *testing.T, s *shell.Shells, dir string, p *sandbox.Policy, text string) string {
	t.Helper()
	r, err := s.Run(t.Context(), shell.Command{Text: text, Dir: dir, Mode: shell.Sync, Wait: enough, Sandbox: p})
	if err != nil {
		t.Fatalf("Run(%q): %v", text, err)
	}
	if r.Running {
		t.Fatalf("Run(%q) is still running", text)
	}
	return strings.TrimSpace(r.Output)
}

// begun runs a command that does not end, and waits until it has written something.
func begun(t *testing.T, s *shell.Shells, c shell.Command) shell.Report {
	t.Helper()
	r, err := s.Run(t.Context(), c)
	for err == nil && r.Running && r.Output == "" {
		r, err = s.Read(t.Context(), r.Shell, time.Millisecond)
	}
	if err != nil || !r.Running {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

func TestOnlyTheDirectoryLeavesASandbox(t *testing.T) {
	s, dir, reads, writes := inside(t)
	runIn(t, s, dir, writes, `mkdir sub; cd sub; export X=poison; ls() { echo poisoned; }; PATH=/tmp/bin:$PATH`)
	for name, p := range map[string]*sandbox.Policy{"outside": nil, "reading": reads} {
		if got := runIn(t, s, dir, p, `echo "$PWD [$X]"; ls`); got != filepath.Join(dir, "sub")+" []" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := runIn(t, s, dir, writes, `echo "[$X]"; ls`); got != "[poison]\npoisoned" {
		t.Errorf("the shell inside has lost its state: %q", got)
	}
	runIn(t, s, dir, nil, "cd ..; export Y=secret")
	if got := runIn(t, s, dir, writes, `echo "$PWD [$Y]"`); got != dir+" []" {
		t.Errorf("inside: %q", got)
	}
}

// A folder that exists only inside is not where commands outside start.
func TestADirectoryThatExistsOnlyInside(t *testing.T) {
	s, dir, _, writes := inside(t)
	if got, want := runIn(t, s, dir, writes, "mkdir /tmp/x && cd /tmp/x"), "[/tmp/x exists only in the sandbox; the next command starts in "+dir+"]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := runIn(t, s, dir, nil, "pwd"); got != dir {
		t.Errorf("outside: %q", got)
	}
}

func TestCommandsInsideDoNotWriteOutside(t *testing.T) {
	s, dir, reads, writes := inside(t)
	if got := runIn(t, s, dir, writes, "echo a > a.txt && cat a.txt; echo b > ../b.txt"); !strings.HasPrefix(got, "a") {
		t.Errorf("writing: %q", got)
	}
	if got := runIn(t, s, dir, reads, "cat a.txt; echo c > c.txt"); !strings.HasPrefix(got, "a\n") || !strings.Contains(got, "Read-only file system") {
		t.Errorf("reading: %q", got)
	}
	for _, name := range []string{"../b.txt", "c.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// A server that one command starts is reached by the next one, and ends with the shells.
func TestShellsOfASandboxShareItsNetwork(t *testing.T) {
	s, dir, _, writes := inside(t)
	server := shell.Command{
		Text: "tty && exec python3 -m http.server 8000 --bind 127.0.0.1", Dir: dir, Mode: shell.Async, Wait: time.Millisecond, Sandbox: writes,
	}
	if r := begun(t, s, server); !strings.HasPrefix(r.Output, "/dev/pts/") {
		t.Fatalf("%+v", r)
	}
	const client = `until python3 -c 'import urllib.request as r; print(r.urlopen("http://127.0.0.1:8000").status)' 2>/dev/null; do :; done`
	if got := runIn(t, s, dir, writes, client); got != "200" {
		t.Errorf("inside: %q", got)
	}
	if got := runIn(t, s, dir, nil, `python3 -c 'import urllib.request as r; r.urlopen("http://127.0.0.1:8000")' 2>&1 | tail -1`); !strings.Contains(got, "refused") {
		t.Errorf("outside: %q", got)
	}
}

// A command inside can write where its shell leaves its state. That is neither followed nor
// waited for.
func TestTheStateThatAShellLeavesIsNotTrusted(t *testing.T) {
	s, dir, _, writes := inside(t)
	secret := filepath.Join(filepath.Dir(dir), "secret")
	if err := os.WriteFile(secret, []byte("0\x00/\x00SECRET=hunter2\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	const find = `f=$(trap -p EXIT | grep -o "/[^ ']*/exit-[0-9]*-[0-9]*"); trap - EXIT; `
	for _, attack := range []string{"ln -s " + secret + " $f", "mkfifo $f", "head -c 100M /dev/zero > $f"} {
		name := runIn(t, s, dir, writes, find+attack+" && ls $f; exit 0")
		if !strings.Contains(name, "/own/exit-") {
			t.Fatalf("%s: the command did not reach the file: %q", attack, name)
		}
		if got := runIn(t, s, dir, writes, "echo [$SECRET] $PWD"); got != "[] "+dir {
			t.Errorf("%s: %q", attack, got)
		}
		if _, err := os.Lstat(name); err == nil && strings.HasPrefix(attack, "head") {
			t.Errorf("%s: it was not removed", name)
		}
	}
}

func TestACanceledCommandInsideIsKilled(t *testing.T) {
	s, dir, _, writes := inside(t)
	const text = "setsid sleep 1000 & until pgrep -x sleep >/dev/null; do :; done; echo on; wait"
	r := begun(t, s, shell.Command{Text: text, Dir: dir, Mode: shell.Sync, Wait: time.Millisecond, Sandbox: writes})
	if _, err := s.Stop(t.Context(), r.Shell); err != nil {
		t.Fatal(err)
	}
	runIn(t, s, dir, writes, "while pgrep -x sleep; do :; done") // it ends with the test's patience
}

// A mount covers the file that was there when the sandbox started. If that is replaced outside,
// or made only then, the next command gets a sandbox that covers it; its shell keeps its state.
func TestAReplacedFileStaysCovered(t *testing.T) {
	s, dir, _, writes := inside(t)
	env, key, rc := filepath.Join(dir, ".env"), filepath.Join(dir, "key"), filepath.Join(dir, ".envrc")
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(name+".new", []byte(text), 0o644), os.Rename(name+".new", name)); err != nil {
			t.Fatal(err)
		}
	}
	write(env, "hunter2")
	write(rc, "old")
	p := *writes
	p.Deny, p.ProtectNames = []string{env, key}, []string{".envrc"}
	const attack = "{ cat .env key; echo evil > .envrc; } 2>/dev/null; cat .envrc; echo $X"
	if got := runIn(t, s, dir, &p, "X=kept; "+attack); got != "oldkept" {
		t.Errorf("before: %q", got)
	}
	for name, text := range map[string]string{env: "hunter3", key: "hunter4", rc: "old"} {
		write(name, text)
		if got := runIn(t, s, dir, &p, attack); got != "old" && got != "oldkept" {
			t.Errorf("after %s was replaced: %q", name, got)
		}
	}
}

// With a command that may write to .git everything in its sandbox ends, also if its call gives up waiting. The
// directory and the environment stay.
func TestACommandThatMayWriteToGitEndsWithItsCall(t *testing.T) {
	s, dir, _, writes := inside(t)
	git := *writes
	git.Git = true
	const daemon = "mkdir -p sub; cd sub; export A=1; B=1; (setsid sleep 1000 >/dev/null 2>&1 </dev/null &); until pgrep -x sleep >/dev/null; do :; done; "
	c := shell.Command{Text: daemon + "echo begun; sleep 1000", Dir: dir, Mode: shell.Sync, Wait: 2 * time.Second, Sandbox: &git}
	began := make(chan struct{})
	c.OnOutput = func(string) { close(began) }
	go func() {
		<-began
		if moved := s.Background(); len(moved) != 0 {
			t.Errorf("moved to the background were %+v", moved)
		}
	}()
	if r, err := s.Run(t.Context(), c); err != nil || r.Running || !r.Stopped || r.Output != "begun\n" {
		t.Errorf("%+v, %v", r, err)
	}
	for range 2 {
		if got := runIn(t, s, dir, &git, daemon+"echo $PWD"); got != filepath.Join(dir, "sub") {
			t.Errorf("%q", got)
		}
		if got := runIn(t, s, dir, &git, "pgrep -x sleep; echo $PWD $A $B; cd .."); got != filepath.Join(dir, "sub")+" 1" {
			t.Errorf("afterwards: %q", got)
		}
	}
	c.Mode, c.OnOutput = shell.Async, nil
	if r, err := s.Run(t.Context(), c); fault.KindOf(err) != fault.Invalid {
		t.Errorf("in the background: %+v, %v", r, err)
	}
}
