//go:build unix

package shell

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// run starts the script in a session of its own.
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
	ours, theirs := []*os.File{in.w, out.r, errs.r}, []*os.File{in.r, out.w, errs.w}
	cmd := exec.Command(program, append(args, "-c", s.Text)...)
	cmd.Args[0] = filepath.Base(program) // its messages begin with it
	cmd.Dir, cmd.Env = s.Dir, s.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in.r, out.w, errs.w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return Outcome{}, unavailable("shell.RunScript", program, err)
	}
	p := newProcess(cmd, out.r, in.w)
	stop := context.AfterFunc(ctx, p.kill)
	answer, complaint := head{limit: maxAnswer}, head{limit: maxErrors}
	var pumps sync.WaitGroup
	pumps.Go(func() {
		_, _ = in.w.Write(s.Input) // one that does not read it all has no need of it
		_ = in.w.Close()
	})
	pumps.Go(func() { _, _ = io.Copy(&answer, out.r) })
	pumps.Go(func() { _, _ = io.Copy(&complaint, errs.r) })
	code := p.reap() // and what it left behind: then nobody holds the pipes
	aborted := !stop()
	finish(ours, &pumps)
	if aborted {
		return Outcome{}, canceled("shell.RunScript", "", ctx)
	}
	return outcome(code, answer, complaint)
}

// finish waits for the pipes of a script that is gone. What was sent to them is there;
// a process that could not be found or killed does not hold anybody up.
func finish(ours []*os.File, pumps *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { pumps.Wait(); close(done) }()
	late := time.NewTimer(killGrace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	closeAll(ours) // ends what still reads or writes
	<-done
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
