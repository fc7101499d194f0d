//go:build unix

package proctree

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// keeperArg is the argument by which this program is started as the keeper of another one. The
// path of that program follows, and its arguments, which begin with its name.
const keeperArg = "keep"

// lifeline is the descriptor of a pipe that the program which has started the keeper holds
// open.
const lifeline = 3

// RunKeeper is the main function of a keeper. It returns at once, with false, if args, those
// of os.Args after the name, do not ask for one. Otherwise it starts the program, which has the
// keeper's standard input and output, and returns its exit code when the program and
// everything that it has started have ended. When the pipe ends, it kills them. It passes
// SIGINT and SIGTERM on to the program's process group.
//
// A program that uses this package calls it first in main.
func RunKeeper(args []string) (code int, ran bool) {
	if len(args) < 3 || args[0] != keeperArg {
		return 0, false
	}
	code, err := keep(args[1], args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sidestick keep: "+err.Error())
	}
	return code, true
}

// notStarted is the exit code of a keeper whose program did not start, as that of a shell.
const notStarted = 127

// keep starts a program and waits for it. The thread stays with it, because the kernel kills
// a program when the thread that started it ends.
func keep(path string, argv []string) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pipe := os.NewFile(lifeline, "lifeline")
	syscall.CloseOnExec(lifeline)
	if pipe == nil {
		return notStarted, fmt.Errorf("this command is started by sidestick itself")
	}
	adoptOrphans()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: ownSession()})
	if err != nil {
		return notStarted, fmt.Errorf("%s: %w", path, err)
	}
	go func() { // ends with this process
		for s := range signals {
			_ = syscall.Kill(-pid, s.(syscall.Signal)) // it may have ended
		}
	}()
	go func() { // ends with this process
		_, _ = io.Copy(io.Discard, pipe)
		NewTree(os.Getpid()).KillOffspring()
		_ = syscall.Kill(-pid, syscall.SIGKILL) // where descendants are not known
	}()
	return reap(pid)
}

// reap waits for a program, kills what it has left behind, and returns its exit code.
func reap(pid int) (int, error) {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil) // also what was adopted
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return notStarted, err
		case ended == pid:
			killRest()
			if status.Signaled() {
				return 128 + int(status.Signal()), nil
			}
			return status.ExitStatus(), nil
		}
	}
}

// restRounds bounds the attempts to kill what a program has left behind. Each may take as long as
// killRounds allows, while processes wait in the kernel.
const restRounds = 50

// killRest kills what a program has left behind. The list of processes can miss one that is being
// started while its parent ends. But the keeper adopts all of them, so it is done when it has no
// children any more. Where it adopts none, it has none.
func killRest() {
	tree := NewTree(os.Getpid())
	for range restRounds {
		tree.KillOffspring()
		if childless() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// childless collects children that have ended, and reports whether there are no others.
func childless() bool {
	for {
		ended, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil: // ECHILD
			return true
		case ended == 0:
			return false
		}
	}
}
