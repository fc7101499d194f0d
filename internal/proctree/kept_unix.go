//go:build unix

package proctree

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Kept is a program with its keeper, or without one.
type Kept struct {
	cmd    *exec.Cmd
	line   *os.File // the end of the lifeline; closing it has the keeper kill everything. nil: there is no keeper
	report *os.File // where the keeper writes the id of the program

	reported sync.Once
	program  int // its id, once the keeper has reported it; 0 if it has not

	mu    sync.Mutex // guards the rest
	tree  Tree
	ended bool // the id of the process may be in use by another one
}

// Start starts a program, which must not have been started, in a process session of its own.
// keeper is the path of a program that calls [RunKeeper]; if it is empty, there is no keeper, and
// what makes a process session of its own may survive. Of the SysProcAttr of cmd only Setctty is
// kept: standard input becomes the controlling terminal of the program.
//
// With a keeper, the error of a program that cannot be run is its exit code, 127, and a message
// on its standard error. The caller calls Wait once.
func Start(keeper string, cmd *exec.Cmd) (*Kept, error) {
	atTerminal := cmd.SysProcAttr != nil && cmd.SysProcAttr.Setctty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: atTerminal && keeper == ""}
	k := &Kept{cmd: cmd}
	if keeper != "" {
		far, err := k.open()
		if err != nil {
			return nil, err
		}
		defer far[0].Close()
		defer far[1].Close()
		o := keeping{files: len(cmd.ExtraFiles), terminal: atTerminal}
		cmd.Args = slices.Concat([]string{keeper}, o.args(), []string{cmd.Path}, cmd.Args)
		cmd.Path, cmd.ExtraFiles = keeper, append(far, cmd.ExtraFiles...)
	}
	if err := cmd.Start(); err != nil {
		k.close()
		return nil, err
	}
	k.tree = NewTree(cmd.Process.Pid)
	return k, nil
}

// open makes the pipes between a keeper and this program, and returns the ends of the keeper.
func (k *Kept) open() (far []*os.File, err error) {
	lifeline, line, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	report, reports, err := os.Pipe()
	if err != nil {
		lifeline.Close()
		line.Close()
		return nil, err
	}
	k.line, k.report = line, report
	return []*os.File{lifeline, reports}, nil
}

func (k *Kept) close() {
	if k.line != nil {
		_ = k.line.Close() // a second close does no harm
		_ = k.report.Close()
	}
}

// Wait waits until the program and everything that it started have ended, and returns its exit
// code.
func (k *Kept) Wait() int {
	_ = k.cmd.Wait() // how it ended is in ProcessState
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tree.KillAll() // does nothing if the keeper has done it
	k.killForsaken()
	k.ended = true
	k.close()
	return ExitCode(k.cmd.ProcessState)
}

// AwaitStart waits until the keeper has reported the program, or has ended. What a program is told to do after that
// cannot keep what it starts from being found, also not if it kills the keeper. Without a keeper it returns at once.
func (k *Kept) AwaitStart() {
	if k.report == nil {
		return
	}
	k.reported.Do(func() {
		text := make([]byte, 32)
		n, _ := k.report.Read(text) // one write of the keeper; none if it has ended before
		if pid, err := strconv.Atoi(string(text[:n])); err == nil && pid > 1 {
			k.program = pid
		}
	})
}

// killForsaken kills the program, with its process session, if a signal has killed the keeper. A
// command can send such a signal. Other sessions that the program has made are not found, and nothing is if the
// keeper was killed before it had reported the program; see [Kept.AwaitStart].
func (k *Kept) killForsaken() {
	how, ok := k.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if k.report == nil || !ok || !how.Signaled() {
		return
	}
	_ = k.report.SetReadDeadline(time.Now().Add(time.Second)) // the keeper has ended, and what it wrote is there
	if k.AwaitStart(); k.program == 0 {
		return
	}
	NewTree(k.program).KillAll()
	// A process that was being started meanwhile is in no list; it is in the program's group.
	for end := time.Now().Add(forsakenTime); syscall.Kill(-k.program, syscall.SIGKILL) == nil && time.Now().Before(end); {
		time.Sleep(forsakenTime / 100)
	}
}

// forsakenTime is how long a program without its keeper is killed again and again.
const forsakenTime = time.Second

// keeperTime is how long a keeper may take to kill everything.
const keeperTime = 2 * time.Second

// Kill kills the program and everything that it started, and does not wait.
func (k *Kept) Kill() {
	if k.line == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			k.tree.KillOnce()
		}
		return
	}
	_ = k.line.Close()
	time.AfterFunc(keeperTime, func() { // it ends by itself: nothing waits in it
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			k.tree.KillOffspring()
			k.tree.KillOnce()
		}
	})
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
