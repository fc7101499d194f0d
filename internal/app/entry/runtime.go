package entry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// Runtime is the runtime of one command at a terminal.
type Runtime struct {
	Options *cli.Options
	Parts   *wiring.Parts
	Peer    *Peer // gets the calls of the sessions that [Runtime.Open] opens
	// Terminal is where the user is asked; nil if nothing is asked. Then Nobody says why.
	Terminal *terminal.TTY
	Nobody   string

	// Cost limits what calls of models may cost together; nil if there is no limit.
	Cost *ledger.Cap

	retries    chan Retry
	interrupts <-chan os.Signal
	restore    func() // ends interrupts; nil before
}

// Retry is a model call that has failed and is made again.
type Retry struct {
	Next       int           // the attempt that follows, from 2
	Wait, Left time.Duration // until then, and for how long the call is tried again after that
	Err        error
}

// MaxRetries bounds the retries that wait to be shown. A call is tried again
// every few seconds.
const MaxRetries = 16

// ErrLeft ends a command at once: the user has pressed Ctrl-C twice.
var ErrLeft error = left{}

type left struct{}

func (left) Error() string { return cli.ErrAborted.Error() }
func (left) Unwrap() error { return cli.ErrAborted }

// With makes the runtime for the session that the settings name, has use open and use it, and closes it.
func With(ctx context.Context, o *cli.Options, s *Settings, use func(*Runtime) error) (err error) {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	provider := cfg.Provider()
	// A session that is continued may have an agent of its own.
	modelless := provider.Kind == config.None && cfg.Tape.Replay.Value == "" && wiring.AgentModel(provider) == "" && !s.MustExist()
	if modelless && s.ID == "" {
		return NoModel(cfg)
	}
	r := &Runtime{Options: o, retries: make(chan Retry, MaxRetries), Peer: NewPeer(), Cost: s.ledger()}
	if r.Terminal, r.Nobody = openTerminal(o, s); r.Terminal != nil {
		defer r.Terminal.Close() // nothing is written to it any more
	}
	adjust := wiring.Adjust{
		Rules: wiring.AllowReading, Sandbox: true, Log: wiring.OnlyPanics, Secrets: &o.Secrets, OnRetry: r.retrying, UserLeaves: s.UserLeaves, Unsaved: s.Unsaved,
	}
	if r.Cost != nil {
		adjust.Ledger = r.Cost
	}
	if r.Parts, err = wiring.Build(cfg, o.Sys, adjust); err != nil {
		return err
	}
	if r.Parts.Ignored != nil {
		fmt.Fprintln(o.Sys.Stderr, cli.ForScreen(o.Sys.Stderr, "warning: certificates are ignored: "+r.Parts.Ignored.Error()))
	}
	defer func() { err = r.close(ctx, err) }()
	if modelless {
		if known, err := r.Parts.Sessions.Metadata(ctx, s.ID); err != nil || known == nil {
			return cmp.Or(err, NoModel(cfg))
		}
	}
	if err := r.Parts.Callable(); err != nil && !s.MustExist() && s.ID == "" {
		return cli.NewUsageError(err)
	}
	defer r.Peer.Leave()
	return use(r)
}

// Retries yields the retries of model calls.
func (r *Runtime) Retries() <-chan Retry { return r.retries }

// retrying is the callback of the model client. The goroutine of the call never waits for the terminal:
// a retry that finds no room is not shown.
func (r *Runtime) retrying(next int, wait, left time.Duration, err error) {
	select {
	case r.retries <- Retry{next, wait, left, err}:
	default:
	}
}

// Interrupts takes Ctrl-C over for the rest of the command, and while the runtime is closed. It is called
// at most once.
func (r *Runtime) Interrupts() <-chan os.Signal {
	r.interrupts, r.restore = TakeInterrupts()
	return r.interrupts
}

// TakeInterrupts takes Ctrl-C over from the process, which would end at once: here the first one stops a
// run only. restore ignores further ones.
func TakeInterrupts() (interrupts <-chan os.Signal, restore func()) {
	c := make(chan os.Signal, 2)
	signal.Reset(os.Interrupt)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// close closes the runtime after err. If the user has left, or leaves now, it does not wait for work that
// is under way. If asked has ended, a signal asks the process to end: then a run is left to the next resume,
// unless it was aborted.
func (r *Runtime) close(asked context.Context, err error) error {
	end := r.Parts.CloseWithin
	if asked.Err() != nil && !errors.Is(err, ErrLeft) {
		end = r.Parts.SuspendWithin
	}
	if r.restore != nil {
		defer r.restore()
	}
	ctx, cancel := context.WithTimeout(context.Background(), wiring.FlushWait)
	defer cancel()
	closed := make(chan error, 1)
	if errors.Is(err, ErrLeft) {
		cancel()
	}
	go func() {
		closed <- fault.Guard("entry.close", func() error { return end(ctx) })
	}()
	select {
	case closing := <-closed:
		if errors.Is(err, ErrLeft) {
			return err
		}
		return errors.Join(err, closing)
	case <-r.interrupts:
		cancel()
		<-closed
		if err == nil {
			err = ErrLeft
		}
		return err
	}
}

// Replayed is how a command ends in a replay: with an error if a request was not recorded, also if the
// model has gone on without its answer.
func (r *Runtime) Replayed(err error) error {
	if err != nil {
		return err
	}
	if err := r.Parts.Replayed(); err != nil {
		return err
	}
	if unused, of := r.Parts.LeftOver(); unused > 0 {
		_ = cli.Printf(r.Options.Sys.Stderr, "sidestick: %d of the %d recorded calls of models were not made\n", unused, of)
	}
	return nil
}

// openTerminal returns the terminal to ask questions at, nil if nothing is asked, and why. A command
// that answers once asks only if both stdin and stdout are terminals, or if a flag says so: with one
// of them redirected, the command is part of a script.
func openTerminal(o *cli.Options, s *Settings) (tty *terminal.TTY, why string) {
	in, out := terminal.Is(o.Sys.Stdin), terminal.Is(o.Sys.Stdout)
	switch {
	case s.Asks || !s.Once && (in || terminal.Is(o.Sys.Stderr)):
	case !in && !out && !terminal.Is(o.Sys.Stderr):
		return nil, noTerminal
	case !in:
		return nil, "nothing is asked, because stdin is not a terminal (--ask asks all the same)"
	case !out:
		return nil, "nothing is asked, because stdout is not a terminal (--ask asks all the same)"
	}
	tty, err := terminal.Open(o.Sys.Getenv)
	if err != nil {
		return nil, noTerminal
	}
	tty.Plain = s.Plain || o.Sys.Getenv("ACCESSIBLE") == "1"
	return tty, ""
}

// noTerminal is why nothing is asked where the process has no terminal.
const noTerminal = "there is no terminal to ask at"
