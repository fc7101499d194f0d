//go:build unix

package shell

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// run starts the script in a process session of its own and waits for it.
func (s Script) run(ctx context.Context) (Outcome, error) {
	spec, err := Options{}.spec(s.Dir, s.environ(), "-c", s.Text)
	if err != nil {
		return Outcome{}, err
	}
	pipes, err := openPipes(3)
	if err != nil {
		return Outcome{}, unavailable("shell.RunScript", spec.Path, err)
	}
	in, out, errs := pipes[0], pipes[1], pipes[2]
	ours := []*os.File{in.w, out.r, errs.r}
	spec.Files = []*os.File{in.r, out.w, errs.w}
	p, _, err := run(s.Keeper, s.Boxes, s.Sandbox, spec)
	closeAll(in.r, out.w, errs.w)
	if err != nil {
		closeAll(ours...)
		return Outcome{}, err
	}
	stop := killAtEnd(ctx, p.Kill)
	answer, complaint := head{limit: maxAnswer}, head{limit: maxErrors}
	pumps := pumps{kill: p.Kill}
	pumps.start(func() {
		_, _ = in.w.Write(s.Input) // a script need not read all of its input
		_ = in.w.Close()
	})
	pumps.start(func() { _, _ = io.Copy(&answer, out.r) })
	pumps.start(func() { _, _ = io.Copy(&complaint, errs.r) })
	code := p.Wait() // after it, no process holds the pipes
	aborted, unkilled := stop()
	panicked := pumps.finish(ours)
	switch {
	case aborted:
		return Outcome{}, cmp.Or(unkilled, canceled("shell.RunScript", "", ctx))
	case panicked != nil:
		return Outcome{}, panicked
	}
	return outcome(code, answer, complaint)
}

// pumps are the goroutines that write and read the pipes of a script.
type pumps struct {
	kill    func() // ends the script
	running sync.WaitGroup

	mu  sync.Mutex // guards err
	err error      // of those that panicked
}

// start runs f on a goroutine. A panic there ends the script, which would wait for its
// pipe, and not the program.
func (p *pumps) start(f func()) {
	p.running.Go(func() {
		err := fault.Guard("shell.RunScript", func() error { f(); return nil })
		if err == nil {
			return
		}
		p.kill()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.err = errors.Join(p.err, err)
	})
}

// finish waits until everything in the pipes of a script that has ended is read. A
// process that could not be found or killed may keep a pipe open; after killGrace the
// pipes are closed anyway. It returns the panics of the pumps.
func (p *pumps) finish(ours []*os.File) error {
	done := make(chan struct{})
	go func() { p.running.Wait(); close(done) }()
	late := time.NewTimer(killGrace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	closeAll(ours...) // ends what still reads or writes
	<-done
	return p.err
}
