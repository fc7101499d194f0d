//go:build unix

package shell

import (
	"os"
	"os/exec"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// bare is a program that runs outside of any sandbox.
type bare struct {
	cmd *exec.Cmd

	mu     sync.Mutex // guards the rest
	tree   proctree.Tree
	reaped bool // it has ended, so its id may be in use by another process
}

// runBare starts a program outside of any sandbox.
func runBare(s sandbox.Spec) (p program, terminal *os.File, err error) {
	cmd := prepare(s.Path, s.Args[1:], s.Dir, s.Env)
	if s.Rows > 0 {
		near, far, err := openTerminal(s.Rows, s.Cols)
		if err != nil {
			return nil, nil, unavailable("shell.Run", s.Path, err)
		}
		defer far.Close()
		terminal, s.Files = near, []*os.File{far, far, far}
		cmd.SysProcAttr.Setctty = true
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = s.Files[0], s.Files[1], s.Files[2], s.Files[3:]
	if err := cmd.Start(); err != nil {
		if terminal != nil {
			terminal.Close()
		}
		return nil, nil, unstarted("shell.Run", cmd, err)
	}
	return &bare{cmd: cmd, tree: proctree.NewTree(cmd.Process.Pid)}, terminal, nil
}

// Wait implements [program].
func (b *bare) Wait() int {
	_ = b.cmd.Wait() // the result is in ProcessState
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tree.KillAll()
	b.reaped = true
	return proctree.ExitCode(b.cmd.ProcessState)
}

// Kill implements [program].
func (b *bare) Kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.reaped {
		b.tree.KillOnce()
	}
}
