package shell

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Read returns what a shell's command has written since the last report, after it
// has ended or wait is over, whichever is first. A command that has ended and told
// everything is forgotten with this, unless its shell waits for the next one.
//
// Errors: NotFound, no such shell; Canceled, ctx ended first, which does not touch
// the command.
func (s *Shells) Read(ctx context.Context, id string, wait time.Duration) (Report, error) {
	sh, j, err := s.find("shell.Read", id)
	if err != nil {
		return Report{}, err
	}
	j.wait(ctx, wait)
	if ctx.Err() != nil {
		return Report{}, canceled("shell.Read", id, ctx)
	}
	return s.take(sh), nil
}

// Write types into a command's terminal, then reads as [Shells.Read] does, at
// least echoWait after: a program needs a moment to answer.
//
// Errors beside those of Read: Invalid, the command is not at a terminal;
// Conflict, it has ended; Unavailable, it does not take the input.
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
		return Report{}, fault.New(fault.Invalid, op, id, "its command has no terminal, and its input is empty")
	case j.ended() || p == nil:
		return Report{}, fault.New(fault.Conflict, op, id, "its command has ended")
	}
	if err := p.write(input); err != nil {
		return Report{}, fault.New(fault.Unavailable, op, id, "its command does not take the input: %w", err)
	}
	return s.Read(ctx, id, max(wait, echoWait))
}

const echoWait = 200 * time.Millisecond

// Stop kills a shell with everything that runs in it, and returns what had not
// been read. The shell is forgotten.
//
// Errors: NotFound, no such shell.
func (s *Shells) Stop(ctx context.Context, id string) (Report, error) {
	sh, j, err := s.find("shell.Stop", id)
	if err != nil {
		return Report{}, err
	}
	running := !j.ended()
	j.kill()
	j.wait(context.WithoutCancel(ctx), killGrace)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := sh.report()
	r.Stopped = running
	if s.shells[id] == sh {
		s.forget(sh)
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
			Hint: "shells whose command has ended and been read are forgotten",
		}
	}
	return sh, sh.job, nil
}

// take reports what is new, and forgets a shell that has nothing more to tell.
func (s *Shells) take(sh *shell) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := sh.report()
	s.release(sh, r)
	return r
}

// Info is a shell in a list.
type Info struct {
	Shell   string
	Mode    Mode
	Text    string // of its latest command
	Began   time.Time
	Running bool
	Code    int   // exit status, if it does not run
	Unread  int64 // bytes of output that no report has had
	PID     int   // process group of a detached command
	File    string
}

// List returns the shells, by the start of their latest commands.
func (s *Shells) List() []Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	infos := make([]Info, 0, len(s.shells))
	for _, sh := range s.sorted() {
		j := sh.job
		i := Info{
			Shell: sh.id, Mode: sh.mode, Text: j.text, Began: j.began, Running: !j.ended(),
			Unread: j.written() - sh.read, PID: j.pid, File: j.file,
		}
		if !i.Running {
			i.Code = j.code
		}
		infos = append(infos, i)
	}
	return infos
}
