//go:build unix

package proctree

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Kept is a program with its keeper, or without one.
type Kept struct {
	cmd  *exec.Cmd
	line *os.File // the end of the lifeline; closing it has the keeper kill everything

	mu    sync.Mutex // guards the rest
	tree  Tree
	ended bool // the id of the process may be in use by another one
}

// Start starts a program, which must not have been started, in a process session of its own.
// keeper is the path of a program that calls [RunKeeper]; if it is empty, there is no keeper,
// and what makes a process session of its own may survive. cmd has no ExtraFiles.
//
// With a keeper, the error of a program that cannot be run is its exit code, 127, and a message
// on its standard error. The caller calls Wait once.
func Start(keeper string, cmd *exec.Cmd) (*Kept, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if keeper != "" {
		cmd.Args = append([]string{keeper, keeperArg, cmd.Path}, cmd.Args...)
		cmd.Path, cmd.ExtraFiles = keeper, []*os.File{r}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return &Kept{cmd: cmd, line: w, tree: NewTree(cmd.Process.Pid)}, nil
}

// Wait waits until the program and everything that it started have ended, and returns its exit
// code.
func (k *Kept) Wait() int {
	_ = k.cmd.Wait() // how it ended is in ProcessState
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tree.KillAll() // if the keeper was killed
	k.ended = true
	_ = k.line.Close()
	return ExitCode(k.cmd.ProcessState)
}

// keeperTime is how long a keeper may take to kill everything.
const keeperTime = 2 * time.Second

// Kill kills the program and everything that it started, and does not wait.
func (k *Kept) Kill() {
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

// Signal sends SIGINT or SIGTERM to the process group of the program. It reports false if the
// program has ended.
func (k *Kept) Signal(sig syscall.Signal) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.ended && syscall.Kill(-k.cmd.Process.Pid, sig) == nil // that of the keeper passes it on
}

// Ended reports whether Wait has seen the end of the program.
func (k *Kept) Ended() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}
