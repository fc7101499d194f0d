package shell

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Mode is how a command runs.
type Mode string

const (
	Sync     Mode = "sync"     // in a persistent shell, with empty input
	Async    Mode = "async"    // at a terminal of its own
	Detached Mode = "detached" // on its own, for longer than the session
)

// Command is a command line and how to run it.
type Command struct {
	// Text is what bash reads, verbatim. It may not be empty or hold a NUL byte,
	// and not be longer than maxCommand.
	Text string
	// Dir is where a session's first shell begins, absolute. When it differs from
	// that of the command before, the session has moved: shells begin there again.
	Dir string
	// Start is the directory that the command must start in, as [Shells.Where] gave
	// it; empty for any. If the main shell has gone elsewhere since, the command gets
	// a shell of its own that starts there; with a named shell that is an error.
	Start string
	// Alters says how the command may change what later ones in the same shell mean;
	// empty if it does not. Intact refuses a shell of which that was said, or that began
	// where such a one had been. Apart runs the command beside its shell, in a fresh one
	// with the environment of the first; only where it goes is passed on.
	Alters        string
	Intact, Apart bool
	// Shell names the shell to run in, at most 64 of letters, digits, "-", "_" and
	// "."; one that does not exist is made. Empty: the session's main shell, or a
	// new one if that is busy.
	Shell string
	// Mode has no default.
	Mode Mode
	// Wait is how long Run waits for the command to end.
	Wait time.Duration
	// OnOutput is told what the command writes while Run waits, cleaned, in pieces of
	// at most 32 KiB, ten a second; what is too much for that is skipped, saying so.
	// It may block: neither the command nor other calls wait for it, only this Run.
	// nil: nobody listens.
	OnOutput func(text string)
}

// Report is what a command has come to.
type Report struct {
	// Shell names the shell, for Read, Write and Stop.
	Shell string
	// Output is what the command has written since the last report, cleaned; see
	// [Clean].
	Output string
	// Running says that it has not ended. Code is its exit status otherwise, 128
	// and the signal's number if a signal ended it.
	Running bool
	Code    int
	// Stopped says that Stop ended it, and so Code says nothing.
	Stopped bool
	// PID is the process group of a detached command, File where its output is.
	PID  int
	File string
}

// maxCommand bounds a command, in bytes: what the system takes as one argument of a
// program, with room for its end.
const maxCommand = 128<<10 - 1<<10

// Run runs a command and returns when it has ended, or after [Command.Wait] with
// what there is so far; then it goes on, for Read and Stop. Only the report says
// whether it did well: an exit status is no error.
//
// If ctx ends first, the command and everything it started are killed, and the
// error is [fault.Canceled]. Other kinds: Invalid, a command that cannot be;
// Conflict, the named shell is busy, or not where the command is to start, or not
// intact; Unavailable, too many shells, no shell on this system, or the session is
// closed.
func (s *Shells) Run(ctx context.Context, c Command) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if ctx.Err() != nil {
		return Report{}, canceled("shell.Run", c.Shell, ctx)
	}
	s.mu.Lock()
	sh, err := s.claim(c)
	if err != nil {
		s.mu.Unlock()
		return Report{}, err
	}
	p, j := sh.proc, sh.job
	s.mu.Unlock()

	stop := context.AfterFunc(ctx, j.kill)
	if c.Mode == Sync {
		p.feed(c.Text, j.from)
	}
	var listener sync.WaitGroup
	if c.OnOutput != nil {
		listener.Go(func() { j.tell(ctx, c.Wait, c.OnOutput) })
	}
	j.wait(ctx, c.Wait)
	if ctx.Err() != nil {
		j.wait(context.Background(), killGrace)
	}
	listener.Wait()
	aborted := !stop()
	r := s.settle(sh)
	if aborted {
		return Report{}, canceled("shell.Run", sh.id, ctx)
	}
	return r, nil
}

func canceled(op, id string, ctx context.Context) error {
	return &fault.Error{Op: op, On: id, Kind: fault.Canceled, Err: context.Cause(ctx)}
}

// killGrace is how long a killed command may take to be gone before Run returns
// without it.
const killGrace = 2 * time.Second

func (c Command) check() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "shell.Run", c.Shell, format, args...)
	}
	switch {
	case strings.TrimSpace(c.Text) == "":
		return bad("the command is empty")
	case strings.ContainsRune(c.Text, 0):
		return bad("the command has a NUL byte, which no shell can read")
	case len(c.Text) > maxCommand:
		return bad("the command is %d bytes long, and %d are the most; write it to a file and run that", len(c.Text), maxCommand)
	case c.Shell != "" && !validID(c.Shell):
		return bad("a shell is named by at most 64 letters, digits, '-', '_' and '.'")
	}
	return nil
}

func validID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return len(id) <= 64 && strings.Trim(id, allowed) == "" && strings.Trim(id, ".") != ""
}

// settle ends a call's hold on a shell and reports. A command that goes on takes
// the shell along: the main one is then made anew from the same state.
func (s *Shells) settle(sh *shell) Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.held = false
	r := sh.report()
	if s.main == sh {
		s.state = sh.state
		if r.Running {
			s.main, sh.temp = nil, true
		}
	}
	if !r.Running {
		s.catchUp(sh)
	}
	s.release(sh, r)
	return r
}

// catchUp lets a shell follow to where a command has gone that ran beside it.
func (s *Shells) catchUp(beside *shell) {
	from, to, sh := beside.from, beside.state.dir, beside.beside
	beside.beside = nil
	if sh == nil || from == to || sh.busy() || s.shells[sh.id] != sh || sh.state.dir != from {
		return
	}
	sh.state.dir, sh.behind = to, sh.proc != nil
	if sh == s.main {
		s.state.dir = to
	}
}

var errNoShell = errors.New("there is no such shell")

// release forgets a shell that has nothing more to tell after told, which may have
// said that it runs when it has ended since. mu is held.
func (s *Shells) release(sh *shell, told Report) {
	if sh.temp && !told.Running && !sh.busy() && s.shells[sh.id] == sh && sh.job.written() == sh.read {
		s.forget(sh)
	}
}

// report is what is new of a shell's command. mu is held.
func (sh *shell) report() Report {
	j := sh.job
	r := Report{Shell: sh.id, Running: !j.ended(), PID: j.pid, File: j.file}
	r.Output, sh.read = j.shown(sh.read, j.written(), !r.Running)
	if !r.Running {
		r.Code = j.code
	}
	return r
}
