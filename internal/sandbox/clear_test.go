//go:build linux

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// lateNames are what a process that outlives its command would write in a folder of git: each makes git run
// programs, or read elsewhere.
var lateNames = []string{"commondir", "config", "config.worktree", "hooks/post-checkout", "info/attributes", "worktrees/x/gitdir", "objects/info/alternates"}

// A daemon writes those names again and again, each in a loop of its own that starts others.
const lateWriter = `for name in commondir config config.worktree hooks/post-checkout info/attributes worktrees/x/gitdir objects/info/alternates; do
	(NAME=$name setsid bash -c 'trap "" TERM HUP; while :; do mkdir -p .git/${NAME%/*}; echo late > .git/$NAME; (setsid sleep 0.01 &); done' >/dev/null 2>&1 </dev/null &)
done
until test -e .git/commondir -a -e .git/hooks/post-checkout -a -e .git/info/attributes; do sleep 0.01; done`

// No process that a command has left is alive after Clear, so what a look finds is all of it. The sandbox runs further commands.
func TestNothingWritesAfterClear(t *testing.T) {
	b := namespaces(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
	defer b.Close()
	work, _ := world(t)
	git := filepath.Join(work, ".git")
	if err := errors.Join(os.MkdirAll(filepath.Join(git, "objects/info"), 0o755), os.MkdirAll(filepath.Join(git, "refs"), 0o755), os.WriteFile(filepath.Join(git, "HEAD"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git, "config"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true}
	for round := range 3 {
		if out, code := bash(t, b, p, lateWriter); code != 0 {
			t.Fatalf("%d, %s", code, out)
		}
		b.Clear(p)
		if got := traces(p); len(got) < 4 {
			t.Errorf("round %d: found were %q", round, got)
		}
		for _, name := range lateNames {
			_ = os.Remove(filepath.Join(git, name))
		}
		if err := os.WriteFile(filepath.Join(git, "config"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, _ := bash(t, b, p, "sleep 0.2; cat /proc/[0-9]*/comm"); strings.Contains(out, "sleep") || strings.Count(out, "bash") > 1 {
			t.Errorf("round %d: still alive are %q", round, out)
		}
		for _, name := range lateNames {
			if text, err := os.ReadFile(filepath.Join(git, name)); err == nil && len(text) > 0 {
				t.Errorf("round %d: %s was written after Clear", round, name)
			}
		}
	}
}

// A command may stop or kill the keeper. Then the sandbox ends as a whole.
func TestClearWithoutAKeeper(t *testing.T) {
	for _, signal := range []string{"STOP", "KILL"} {
		b := namespaces(t, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(t.TempDir())
		defer b.Close()
		work, _ := world(t)
		p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true}
		const daemon = `(setsid bash -c 'while :; do echo late > late; sleep 0.01; done' >/dev/null 2>&1 </dev/null &); until test -e late; do :; done; `
		if out, code := bash(t, b, p, daemon); code != 0 {
			t.Fatalf("%d, %s", code, out)
		}
		attack := launch(t, b, p, "read; echo done; kill -"+signal+" $PPID; sleep 600")
		attack.proceed(t)
		attack.hear(t, "done\n")
		t.Cleanup(attack.close)
		b.Clear(p)
		if err := os.Remove(filepath.Join(work, "late")); err != nil {
			t.Fatal(err)
		}
		if out, _ := bash(t, b, p, "sleep 0.2; echo on"); out != "on\n" {
			t.Errorf("%s: the next command: %q", signal, out)
		}
		if exists(filepath.Join(work, "late")) {
			t.Errorf("%s: the daemon is still alive", signal)
		}
	}
}

// Landlock alone runs no command that may write to .git.
func TestLandlockLetsNothingWriteToGit(t *testing.T) {
	s := host(t, sandbox.ReadOnly, sandbox.Options{Bwrap: "-"}).Support()
	if s.Has(sandbox.WorkspaceWrite) {
		t.Error("it claims to confine commands that write")
	}
}
