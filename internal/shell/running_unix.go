//go:build unix

package shell

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// Running is a program of the user that [Start] has started, outside of any sandbox.
type Running struct {
	program *proctree.Kept
	reader  sync.WaitGroup
}

// Start starts a script in a process session of its own and returns while it runs. output
// gets what it writes, on a goroutine of its own, in pieces of at most 32 KiB as [Clean]
// makes them. Input and Sandbox are not used. keeper is as in [proctree.Start]. The caller calls
// Wait once.
//
// [fault.Invalid], the text is not valid; [fault.Unavailable], it could not be started.
func Start(keeper string, s Script, output func(string)) (*Running, error) {
	if err := (Command{Text: s.Text}).check(); err != nil {
		return nil, err
	}
	spec, err := Options{}.spec(s.Dir, s.environ(), "-c", s.Text)
	if err != nil {
		return nil, err
	}
	pipes, err := openPipes(1)
	if err != nil {
		return nil, unavailable("shell.Start", spec.Path, err)
	}
	out := pipes[0]
	null, err := os.Open(os.DevNull)
	if err != nil {
		closeAll(out.r, out.w)
		return nil, unavailable("shell.Start", os.DevNull, err)
	}
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.Args, Dir: spec.Dir, Env: spec.Env, Stdin: null, Stdout: out.w, Stderr: out.w}
	p, err := proctree.Start(keeper, cmd)
	closeAll(null, out.w)
	if err != nil {
		closeAll(out.r)
		return nil, unstarted("shell.Start", cmd, err)
	}
	r := &Running{program: p}
	r.reader.Go(func() { r.read(out.r, output) })
	return r, nil
}

// read passes the output on until no process holds the pipe.
func (r *Running) read(from *os.File, output func(string)) {
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && fault.Guard("shell.Start", func() error { output(Clean(buf[:n])); return nil }) != nil {
			r.program.Kill() // output is the caller's code
			return
		}
		if err != nil {
			return
		}
	}
}

// Signal sends a signal to the process group of the program, and [Kill] to everything that
// it has started. It reports false if the program has ended.
func (r *Running) Signal(sig Signal) bool {
	switch {
	case sig == Interrupt:
		return r.program.Signal(syscall.SIGINT)
	case sig == Terminate:
		return r.program.Signal(syscall.SIGTERM)
	case r.program.Ended():
		return false
	}
	r.program.Kill()
	return true
}

// Wait waits until the program has ended, kills what it left behind, and returns its exit
// status once its output was passed on.
func (r *Running) Wait() int {
	code := r.program.Wait()
	done := make(chan struct{})
	go func() { r.reader.Wait(); close(done) }()
	select { // what could not be killed may hold the pipe
	case <-done:
	case <-time.After(killGrace):
	}
	return code
}
