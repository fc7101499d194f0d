package shell

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Run runs a command. It returns when the command has ended, or after [Command.Wait] with
// the output so far, or when [Shells.Background] is called; the command then keeps running, for Read and Stop, but for one that
// may write to .git (see [Command.Sandbox]). An exit status is not an error; it is only in the report.
//
// If ctx ends first, the command and everything that it started are killed, and the error
// is [fault.Canceled]. Other kinds: Invalid, the command is not valid; Conflict, the named
// shell is busy, or in another directory than the command requires, or altered;
// Unavailable, there are too many shells, or none on this system, or the session is
// closed; Internal, OnOutput panicked, or a bug in this program has ended the command.
func (s *Shells) Run(ctx context.Context, c Command) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if ctx.Err() != nil {
		return Report{}, canceled("shell.Run", c.Shell, ctx)
	}
	s.mu.Lock()
	sh, err := s.acquire(c)
	if err != nil {
		s.mu.Unlock()
		return Report{}, err
	}
	p, j := sh.proc, sh.job
	s.mu.Unlock()

	parted, returns := j.called(c.endsWithCall())
	defer returns()
	stop := killAtEnd(ctx, j.kill)
	if c.Mode == Sync {
		p.send(c.Text, j.chdir)
	}
	var listener sync.WaitGroup
	var panicked error // OnOutput is the caller's code
	if c.OnOutput != nil {
		listener.Go(func() {
			panicked = fault.Guard("shell.Run", func() error { j.stream(ctx, c.Wait, parted, c.OnOutput); return nil })
		})
	}
	j.waitOr(ctx, c.Wait, parted)
	if ctx.Err() != nil {
		j.wait(context.Background(), killGrace)
	}
	cut := c.endsWithCall() && s.clear(sh, j)
	listener.Wait()
	aborted, unkilled := stop()
	r := s.release(sh)
	r.Stopped = cut
	r.Parted = r.Running && closed(parted)
	if aborted {
		return Report{}, cmp.Or(unkilled, canceled("shell.Run", sh.id, ctx))
	}
	return r, cmp.Or(panicked, j.failure())
}

// clear ends everything that runs in the sandbox of a shell, and with it the shell, whose state stays. It
// returns true if the command was still running.
func (s *Shells) clear(sh *shell, j *job) (cut bool) {
	cut = !j.ended()
	s.opts.Sandbox.Clear(*sh.policy)
	j.wait(context.Background(), killGrace)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.shells {
		if placeKey(other.policy) == placeKey(sh.policy) && (other == sh || !other.busy()) {
			other.proc = nil
		}
	}
	return cut
}

// killAtEnd calls kill when ctx ends, unless stop is called before. stop waits for a kill
// that has begun. It reports whether one has, and the panic of kill as an error.
func killAtEnd(ctx context.Context, kill func()) (stop func() (begun bool, err error)) {
	ended := make(chan struct{})
	var panicked error
	unless := context.AfterFunc(ctx, func() {
		defer close(ended)
		panicked = fault.Guard("shell.kill", func() error { kill(); return nil })
	})
	return func() (bool, error) {
		if unless() {
			return false, nil
		}
		<-ended
		return true, panicked
	}
}

func canceled(op, id string, ctx context.Context) error {
	return &fault.Error{Op: op, On: id, Kind: fault.Canceled, Err: context.Cause(ctx)}
}

// killGrace is how long Run waits for a killed command to end before it returns anyway.
const killGrace = 2 * time.Second

// acquire returns the shell in which a command will run, held for the caller, with its
// process started. mu is held.
func (s *Shells) acquire(c Command) (*shell, error) {
	if s.closed {
		return nil, fault.New(fault.Unavailable, "shell.Run", c.Shell, "the session is closed")
	}
	s.moveTo(c.Dir)
	s.renew()
	sh, err := s.choose(c)
	if err != nil {
		return nil, err
	}
	if s.shells[sh.id] != sh {
		if err := s.add(sh); err != nil {
			return nil, err
		}
		if !sh.temp && c.Shell == "" {
			s.place(sh.policy).main = sh
		}
	}
	if err := s.launch(sh, c); err != nil {
		s.remove(sh)
		return nil, err
	}
	sh.held = true
	return sh, nil
}

// renew ends the sandboxes that do not cover their files any more. Their shells keep their
// state; commands that are running in them end.
func (s *Shells) renew() {
	if s.opts.Sandbox == nil {
		return
	}
	ended := s.opts.Sandbox.Renew()
	for _, sh := range s.shells {
		if sh.policy != nil && !sh.busy() && slices.Contains(ended, sh.policy.Key()) {
			sh.proc = nil
		}
	}
}

// release ends a call's hold on a shell, and reports. A command that is still running
// keeps the shell; if that was the main one, the next command gets a new main shell with
// the same state.
func (s *Shells) release(sh *shell) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.held = false
	r := sh.report()
	if sh.startEnv != nil && !r.Running {
		r.Exported = changedNames(sh.startEnv, sh.state.env)
	}
	if at := s.place(sh.policy); at.main == sh {
		at.state = sh.state
		if !s.follow(sh) && !r.Running {
			r.Output += fmt.Sprintf("[%s exists only in the sandbox; the next command starts in %s]\n", sh.state.dir, s.dir)
		}
		if r.Running {
			at.main, sh.temp = nil, true
		}
	}
	if !r.Running {
		s.passOnDirectory(sh)
	} else {
		s.leave(sh)
	}
	s.removeIfDone(sh, r)
	return r
}

// follow makes the directory of a shell that of the session. It does not, and returns false,
// if the directory exists only inside the shell's sandbox.
func (s *Shells) follow(sh *shell) bool {
	if sh.policy != nil && !sh.policy.Shows(sh.state.dir) {
		return false
	}
	s.dir = sh.state.dir
	return true
}

// passOnDirectory moves the session, or a named shell, to where a command ended that ran in a
// fresh shell in its place.
func (s *Shells) passOnDirectory(fresh *shell) {
	from, to, sh := fresh.startedIn, fresh.state.dir, fresh.inPlaceOf
	unnamed := fresh.unnamed
	fresh.inPlaceOf, fresh.unnamed = nil, false
	switch {
	case from == to:
	case unnamed:
		if s.dir == from {
			s.follow(fresh)
		}
	case sh == nil || sh.busy() || s.shells[sh.id] != sh || sh.state.dir != from:
	case fresh.policy == nil || fresh.policy.Shows(to):
		s.goTo(sh, to)
	}
}

// removeIfDone removes a shell whose output has been read to the end. last is the report
// about it, which may say that the command runs although it has ended since. mu is held.
func (s *Shells) removeIfDone(sh *shell, last Report) {
	if sh.temp && !last.Running && !sh.busy() && s.shells[sh.id] == sh && sh.job.written() == sh.read {
		s.remove(sh)
	}
}

// report returns the new output of a shell's command. mu is held.
func (sh *shell) report() Report {
	j := sh.job
	r := Report{Shell: sh.id, Running: !j.ended(), PID: j.pid, File: j.file}
	r.Output, sh.read = j.text(sh.read, j.written(), !r.Running)
	if !r.Running {
		r.Code, j.told = j.code, true
	}
	return r
}
