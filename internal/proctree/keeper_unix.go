//go:build unix

package proctree

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// keeperArg is the argument by which this program is started as the keeper of another one. The
// two of [keeping] follow, then the path of that program, and its arguments, which begin with its
// name.
const keeperArg = "keep"

// The descriptors of a keeper: a pipe that the program which has started the keeper holds open,
// the pipe for the id of the kept program, and the first of the files that the program gets
// from descriptor 3 on.
const (
	lifeline = 3 + iota
	report
	firstFile
)

// keeping is what a keeper has to know about its program.
type keeping struct {
	files    int  // how many files the program has besides its standard ones
	terminal bool // standard input becomes its controlling terminal
}

func (k keeping) args() []string {
	return []string{keeperArg, strconv.Itoa(k.files), strconv.FormatBool(k.terminal)}
}

// readKeeping is the inverse of args; false for other arguments.
func readKeeping(args []string) (k keeping, rest []string, ok bool) {
	if len(args) < 5 || args[0] != keeperArg {
		return k, nil, false
	}
	var err, wrong error
	k.files, err = strconv.Atoi(args[1])
	k.terminal, wrong = strconv.ParseBool(args[2])
	return k, args[3:], err == nil && wrong == nil && k.files >= 0
}

// inherit returns the files of the program. None of the keeper's own reaches it.
func (k keeping) inherit() []uintptr {
	files := []uintptr{0, 1, 2}
	for _, own := range []int{lifeline, report} {
		syscall.CloseOnExec(own)
	}
	for i := range k.files {
		syscall.CloseOnExec(firstFile + i)
		files = append(files, uintptr(firstFile+i))
	}
	return files
}

// leave closes the files that only the program needs: a pipe ends when the program closes it.
func leave(files []uintptr) {
	for _, f := range files {
		_ = syscall.Close(int(f))
	}
}

// RunKeeper is the main function of a keeper. It returns at once, with false, if args, those
// of os.Args after the name, do not ask for one. Otherwise it starts the program, which has the
// keeper's standard input and output, and returns its exit code when the program and
// everything that it has started have ended. When the pipe ends, it kills them. It passes
// SIGINT and SIGTERM on to the program's process group.
//
// A program that uses this package calls it first in main.
func RunKeeper(args []string) (code int, ran bool) {
	asked.Store(true)
	k, program, ok := readKeeping(args)
	if !ok {
		return 0, false
	}
	code, err := k.keep(program[0], program[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sidestick keep: "+err.Error())
	}
	return code, true
}

// asked is true after the first call of RunKeeper in this process.
var asked atomic.Bool

// Self is the path of this program, as the keeper of others, for [Start]. It is empty if the path is
// unknown, or if this program has never called [RunKeeper], and so cannot be a keeper.
//
// Where the system has a path of the running program itself, it is that one: it stays right when an update
// has removed or replaced the file from which the program was started.
func Self() string {
	if !asked.Load() {
		return ""
	}
	if _, err := os.Stat(running); running != "" && err == nil {
		return running
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// notStarted is the exit code of a keeper whose program did not start, as that of a shell.
const notStarted = 127

// keep starts a program and waits for it. The thread stays with it, because the kernel kills
// a program when the thread that started it ends.
func (k keeping) keep(path string, argv []string) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pipe, files := os.NewFile(lifeline, "lifeline"), k.inherit()
	if pipe == nil {
		return notStarted, fmt.Errorf("this command is started by sidestick itself")
	}
	adoptOrphans()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	attr := ownSession()
	attr.Setctty = k.terminal
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: files, Sys: attr})
	if err != nil {
		return notStarted, fmt.Errorf("%s: %w", path, err)
	}
	leave(files)
	_, _ = syscall.Write(report, []byte(strconv.Itoa(pid))) // nobody reads it if this program's starter is gone
	go func() {                                             // ends with this process
		for s := range signals {
			_ = syscall.Kill(-pid, s.(syscall.Signal)) // it may have ended
		}
	}()
	go func() { // ends with this process
		_, _ = io.Copy(io.Discard, pipe)
		_ = syscall.Kill(-pid, syscall.SIGKILL) // first, because the list of processes takes time
		NewTree(os.Getpid()).KillOffspring()
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
