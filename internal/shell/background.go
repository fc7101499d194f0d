package shell

import (
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Read returns what a shell's command has written since the last report, as soon as the
// command has ended, wait is over, or [Shells.Background] is called. If the command has ended and all its output is in
// the report, the shell is removed, unless it is one that waits for the next command.
//
// Errors: NotFound, no such shell; Canceled, ctx ended first, which does not affect the
// command; Internal, a bug in this program has ended the command.
func (s *Shells) Read(ctx context.Context, id string, wait time.Duration) (Report, error) {
	sh, j, err := s.find("shell.Read", id)
	if err != nil {
		return Report{}, err
	}
	parted, returns := j.called(false)
	defer func() { returns(); s.tell(sh, j) }() // if ctx has ended first
	j.waitOr(ctx, wait, parted)
	if ctx.Err() != nil {
		return Report{}, canceled("shell.Read", id, ctx)
	}
	r := s.take(sh)
	r.Parted = r.Running && closed(parted)
	return r, j.failure()
}

// Background lets all calls return that wait for a command: Run, Read and Write. The commands keep
// running, as after [Command.Wait]. It returns those commands.
func (s *Shells) Background() (moved []Info) {
	all := s.List()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range all {
		if sh := s.shells[i.Shell]; sh != nil && sh.job.part() {
			moved = append(moved, i)
		}
	}
	return moved
}

// Write types into a command's terminal, then reads as [Shells.Read] does, after echoWait
// or later: a program needs a moment to answer.
//
// Errors besides those of Read: Invalid, the command is not at a terminal; Conflict, the
// command has ended; Unavailable, the terminal does not accept the input.
func (s *Shells) Write(ctx context.Context, id, input string, wait time.Duration) (Report, error) {
	const op = "shell.Write"
	sh, j, err := s.find(op, id)
	if err != nil {
		return Report{}, err
	}
	s.mu.Lock()
	p := sh.proc
	s.mu.Unlock()
	switch {
	case sh.mode != Async:
		return Report{}, fault.New(fault.Invalid, op, id, "its command has no terminal, so it takes no input")
	case j.ended() || p == nil:
		return Report{}, fault.New(fault.Conflict, op, id, "its command has ended")
	}
	if err := p.write(input); err != nil {
		return Report{}, fault.New(fault.Unavailable, op, id, "its terminal does not accept the input: %w", err)
	}
	return s.Read(ctx, id, max(wait, echoWait))
}

// echoWait is how long Write waits at least for an answer.
const echoWait = 200 * time.Millisecond

// Stop kills a shell with everything that runs in it, removes it, and returns the output
// that had not been read.
//
// Errors: NotFound, no such shell.
func (s *Shells) Stop(ctx context.Context, id string) (Report, error) {
	sh, j, err := s.find("shell.Stop", id)
	if err != nil {
		return Report{}, err
	}
	_, returns := j.called(false)
	defer returns()
	running := !j.ended()
	j.kill()
	j.wait(context.WithoutCancel(ctx), killGrace)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := sh.report()
	r.Stopped = running
	if s.shells[id] == sh {
		s.remove(sh)
	}
	return r, nil
}

// find returns a shell and its command.
func (s *Shells) find(op, id string) (*shell, *job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.shells[id]
	if sh == nil {
		return nil, nil, &fault.Error{
			Op: op, On: id, Kind: fault.NotFound, Err: errNoShell,
			Hint: "a shell is removed once its command has ended and all its output has been read",
		}
	}
	return sh, sh.job, nil
}

// take reports new output, and removes a shell that has ended and has no more.
func (s *Shells) take(sh *shell) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := sh.report()
	s.removeIfDone(sh, r)
	return r
}

// Info describes a shell in a list.
type Info struct {
	Shell   string
	Mode    Mode
	Text    string // of its latest command
	Began   time.Time
	Running bool
	Code    int   // exit status, if it is not running
	Unread  int64 // bytes of output that no report has returned
	PID     int   // process group of a detached command
	File    string
}

var errNoShell = errors.New("there is no such shell")

// List returns the shells, by the start of their latest commands.
func (s *Shells) List() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	infos := make([]Info, 0, len(s.shells))
	for _, sh := range s.sorted() {
		infos = append(infos, sh.info())
	}
	return infos
}

// info describes the shell. mu is held.
func (sh *shell) info() Info {
	j := sh.job
	i := Info{
		Shell: sh.id, Mode: sh.mode, Text: j.command, Began: j.began, Running: !j.ended(),
		Unread: j.written() - sh.read, PID: j.pid, File: j.file,
	}
	if !i.Running {
		i.Code = j.code
	}
	return i
}

// OnEnd sets the function that gets a command whose call returned while the command ran, when it has
// ended and no [Report] has said so: nobody may ever read it. A command that Close ends is not
// passed on. f is called on a goroutine that Close waits for. OnEnd is called before the first Run.
func (s *Shells) OnEnd(f func(Info)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onEnd = f
}

// leave waits for the end of a command whose call has returned. mu is held.
func (s *Shells) leave(sh *shell) {
	if j := sh.job; s.onEnd != nil && !j.left && !s.closed {
		j.left = true
		s.wg.Go(func() {
			<-j.done
			s.tell(sh, j)
		})
	}
}

// tell passes on the end of a command that was left running, once, unless a report has told it, or
// a call that waits for the command is about to, or the shell runs the next one.
func (s *Shells) tell(sh *shell, j *job) {
	s.mu.Lock()
	if s.closed || sh.job != j || !j.left || j.told || !j.ended() || j.awaited() {
		s.mu.Unlock()
		return
	}
	j.told = true
	i, f := sh.info(), s.onEnd
	s.mu.Unlock()
	f(i)
}
