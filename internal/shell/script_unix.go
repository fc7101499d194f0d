//go:build unix

package shell

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

// run starts the script in a process session of its own and waits for it.
func (s Script) run(ctx context.Context) (Outcome, error) {
	program, args, err := Options{}.lookShell()
	if err != nil {
		return Outcome{}, err
	}
	pipes, err := openPipes(3)
	if err != nil {
		return Outcome{}, unavailable("shell.RunScript", program, err)
	}
	in, out, errs := pipes[0], pipes[1], pipes[2]
	ours := []*os.File{in.w, out.r, errs.r}
	cmd := prepare(program, append(args, "-c", s.Text), s.Dir, s.environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.r, out.w, errs.w
	err = cmd.Start()
	closeAll(in.r, out.w, errs.w)
	if err != nil {
		closeAll(ours...)
		return Outcome{}, unavailable("shell.RunScript", program, err)
	}
	p := newProcess(cmd, out.r, in.w)
	stop := context.AfterFunc(ctx, p.kill)
	answer, complaint := head{limit: maxAnswer}, head{limit: maxErrors}
	var pumps sync.WaitGroup
	pumps.Go(func() {
		_, _ = in.w.Write(s.Input) // a script need not read all of its input
		_ = in.w.Close()
	})
	pumps.Go(func() { _, _ = io.Copy(&answer, out.r) })
	pumps.Go(func() { _, _ = io.Copy(&complaint, errs.r) })
	code := p.reap() // after it, no process holds the pipes
	aborted := !stop()
	finish(ours, &pumps)
	if aborted {
		return Outcome{}, canceled("shell.RunScript", "", ctx)
	}
	return outcome(code, answer, complaint)
}

// finish waits until everything in the pipes of a script that has ended is read. A
// process that could not be found or killed may keep a pipe open; after killGrace the
// pipes are closed anyway.
func finish(ours []*os.File, pumps *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { pumps.Wait(); close(done) }()
	late := time.NewTimer(killGrace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	closeAll(ours...) // ends what still reads or writes
	<-done
}
