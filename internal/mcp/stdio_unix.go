//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// kept is a program with its keeper.
type kept struct {
	cmd  *exec.Cmd
	line *os.File // the end of the lifeline; closing it has the keeper kill everything

	mu    sync.Mutex // guards the rest
	tree  proctree.Tree
	ended bool // the id of the process may be in use by another one
}

// startProgram starts a program with a keeper, which is this program, or itself if keeper is
// empty.
func startProgram(keeper string, s sandbox.Spec) (program, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, unavailable("the pipe to its keeper cannot be made: %w", err)
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: s.Path, Args: s.Args}
	if keeper != "" {
		cmd = exec.Command(keeper, append([]string{keeperArg, s.Path}, s.Args...)...)
		cmd.ExtraFiles = []*os.File{r}
	}
	cmd.Dir, cmd.Env = s.Dir, s.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Files[0], s.Files[1], s.Files[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, unavailable("the program %s cannot be started: %w", s.Path, err)
	}
	return &kept{cmd: cmd, line: w, tree: proctree.NewTree(cmd.Process.Pid)}, nil
}

// Wait implements [program].
func (k *kept) Wait() int {
	_ = k.cmd.Wait() // how it ended is in ProcessState
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tree.KillAll() // if the keeper was killed
	k.ended = true
	_ = k.line.Close()
	return proctree.ExitCode(k.cmd.ProcessState)
}

// keeperTime is how long a keeper may take to kill everything.
const keeperTime = 2 * time.Second

// Kill implements [program].
func (k *kept) Kill() {
	_ = k.line.Close()
	time.AfterFunc(keeperTime, func() { // it ends by itself: nothing waits in it
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			k.tree.KillOffspring()
			k.tree.KillOnce()
		}
	})
	if len(k.cmd.ExtraFiles) == 0 { // there is no keeper
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			k.tree.KillOnce()
		}
	}
}
