//go:build linux

package tool_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// newRepository is newTerminal with sandboxes, in a git repository, with the policy of a command that may
// write to .git.
func newRepository(t *testing.T) (x *terminal, git *sandbox.Policy) {
	t.Helper()
	x = newTerminal(t, nil)
	state := t.TempDir()
	h := sandbox.NewHost(sandbox.Options{State: state})
	if s := h.Support(); !s.Has(sandbox.WorkspaceWrite) {
		attempt.Missing(t, "no sandbox works here: "+s.Why(sandbox.WorkspaceWrite))
	}
	boxes := h.Boxes(filepath.Join(state, "boxes"))
	t.Cleanup(boxes.Close)
	x.shells = shell.New(shell.Options{Temp: filepath.Join(state, "temp"), Sandbox: boxes})
	t.Cleanup(x.shells.Close)
	x.boxes = boxes
	x.guard = quarantine.Open(vfs.OS{}, "").Guard(quarantine.Options{Boxes: boxes, Servers: h.Boxes(filepath.Join(state, "servers")), Runs: effects.RepositoryRuns})
	for _, tl := range tool.Shell(x, x.shells, boxes, x.guard, nil) {
		x.tools[tl.Definition().Name] = tl.(tool.Asker)
	}
	if out, err := exec.Command("git", "init", "-q", x.cwd).CombinedOutput(); err != nil {
		t.Skipf("no git on this machine: %v, %s", err, out)
	}
	return x, &sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{x.cwd}, Git: true}
}

// inRepository runs a command in the sandbox of a policy.
func (x *terminal) inRepository(ctx context.Context, t *testing.T, p *sandbox.Policy, args string) tool.Result {
	t.Helper()
	c := x.request(t, "bash", args)
	c.Sandbox = p
	return x.tools["bash"].Run(ctx, c)
}

// userLooks is the user's next step: git status, which runs the program of core.fsmonitor. It fails the test
// if that is the attacker's.
func (x *terminal) userLooks(t *testing.T, when string) {
	t.Helper()
	cmd := exec.Command("git", "status")
	cmd.Dir = x.cwd
	_ = cmd.Run() // git may not understand what it finds
	if _, err := os.Stat(filepath.Join(x.cwd, "pwned")); err == nil {
		t.Fatalf("%s: git has run the attacker's program", when)
	}
}

// The attack: another folder of git, whose settings name a program, and a process that outlives its command and
// makes git use it.
const attackGit = `mkdir -p evil/objects evil/refs; printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch pwned; false\n' > evil/config; cp .git/HEAD evil; ` +
	`(setsid bash -c 'while :; do echo ../evil > .git/commondir; done' >/dev/null 2>&1 </dev/null &); until test -e .git/commondir; do :; done`

// Whichever way a command ends that may write to .git, nothing of it writes there afterwards, and what it
// has written makes the user's git run nothing.
func TestNothingWritesToGitAfterItsCommand(t *testing.T) {
	x, git := newRepository(t)
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(attackGit)
	check := func(when string, res tool.Result) {
		t.Helper()
		if len(res.After) != 1 {
			t.Errorf("%s: the user is told %d things, of %q", when, len(res.After), res.Text)
		}
		x.userLooks(t, when)
		x.userLooks(t, when)
		if _, err := os.Stat(filepath.Join(x.cwd, ".git/commondir")); err == nil {
			t.Errorf("%s: commondir is there", when)
		}
	}
	check("it ends", x.inRepository(t.Context(), t, git, `{"command":"`+quoted+`","description":"d"}`))
	check("its shell ends", x.inRepository(t.Context(), t, git, `{"command":"`+quoted+`; exit 3","description":"d"}`))
	ctx, cancel := context.WithCancel(t.Context())
	x.wake = cancel
	check("it is canceled", x.inRepository(ctx, t, git, `{"command":"`+quoted+`; echo here; sleep 300","description":"d"}`))
	x.wake = nil
}

// Two commands that may write to .git run one after the other, so that what one makes does not count as there
// before for the other.
func TestCommandsThatWriteToGitTakeTurns(t *testing.T) {
	x, git := newRepository(t)
	const text = `{"command":"test -e .git/turn && echo together; : > .git/turn; sleep 0.2; rm .git/turn; echo done","description":"d"}`
	calls := []tool.Call{x.request(t, "bash", text), x.request(t, "bash", text), x.request(t, "bash", text)}
	var running sync.WaitGroup
	for _, c := range calls {
		running.Go(func() {
			c.Sandbox = git
			if res := x.tools["bash"].Run(t.Context(), c); strings.Contains(res.Text, "together") || !strings.Contains(res.Text, "done\n<exited with exit code 0>") {
				t.Errorf("%q", res.Text)
			}
		})
	}
	running.Wait()
}

// A command that may go on in the background cannot write to .git, and the model reads why.
func TestABackgroundCommandCannotWriteToGit(t *testing.T) {
	x, git := newRepository(t)
	res := x.inRepository(t.Context(), t, git, `{"command":"echo x 2>&1 > .git/HEAD","description":"d","mode":"async"}`)
	if !strings.Contains(res.Text, "Read-only file system") || !strings.Contains(res.Text, "run git commands with mode sync") {
		t.Errorf("%q", res.Text)
	}
	if res := x.inRepository(t.Context(), t, git, `{"command":"git -c user.name=n -c user.email=e commit -q --allow-empty -m one && git log --oneline | wc -l","description":"d"}`); !strings.HasPrefix(res.Text, "1\n") {
		t.Errorf("a commit: %q", res.Text)
	}
}
