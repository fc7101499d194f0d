package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Mail brings commands to the session's goroutine, which closes it after the last one.
func (j *Journal) Mail() *mailbox.Mailbox { return j.mail }

// Do implements [mailbox.Goroutine].
func (j *Journal) Do(ctx context.Context, f func() error) error {
	return j.Post(ctx, whileOpen(j, f))
}

// whileOpen is f, unless the session is closing.
func whileOpen(j *Journal, f func() error) func() error {
	return func() error {
		if j.closing {
			return j.Gone()
		}
		j.Use()
		return f()
	}
}

// Change implements [mailbox.Goroutine].
func (j *Journal) Change(ctx context.Context, f func() error) error {
	return j.Do(ctx, whileOwned(j, f))
}

// whileOwned is f, unless another process is at work in the session.
func whileOwned(j *Journal, f func() error) func() error {
	return func() error {
		if err := j.MayRecord(); err != nil {
			return err
		}
		return f()
	}
}

// Begin is Change for a command that starts a run. Its caller learns the result at once, and not
// only after [Host].Settle: the model may already be answering then.
func (j *Journal) Begin(ctx context.Context, f func() error) error {
	return j.carryOut(ctx, whileOpen(j, whileOwned(j, f)))
}

// Post implements [mailbox.Goroutine].
func (j *Journal) Post(ctx context.Context, f func() error) error {
	err := j.carryOut(ctx, f)
	j.opts.Host.Settle(ctx)
	return err
}

// carryOut is Post that does not wait for what the command has started beside it.
func (j *Journal) carryOut(ctx context.Context, f func() error) error {
	err := j.mail.Post(ctx, func() error {
		err := j.Guard(f)
		_ = j.Release() // before the caller learns of the result; the next command reports a deletion
		j.opts.Host.Carried()
		return err
	})
	if errors.Is(err, mailbox.ErrClosed) {
		return j.Gone()
	}
	return err
}

// Go implements [mailbox.Goroutine]. f defers what must happen even if it panics.
func (j *Journal) Go(op string, f func()) {
	j.opts.Running.Hold()
	go func() {
		defer j.opts.Running.Release()
		defer func() {
			if p := recover(); p != nil {
				j.opts.Logger.Error("a goroutine of the session panicked", "err", fault.Panicked(op, p))
			}
		}()
		f()
	}()
}

// Beside makes a change beside the log, on the caller's goroutine. Until it has ended, the
// session keeps its claim on the log and stays open. If ctx ends early, f may not have been
// called.
func (j *Journal) Beside(ctx context.Context, f func() error) error {
	_, err := mailbox.Deliver(ctx, j.Do, func() (begun struct{}, err error) {
		if err = j.MayRecord(); err == nil {
			j.own.changes++
		}
		return begun, err
	}, func(struct{}) { j.own.changes-- })
	if err != nil {
		return err
	}
	defer func() {
		_ = j.Post(context.Background(), func() error { j.own.changes--; return nil }) // no context: the session waits for it
	}()
	return f()
}

// Changing reports whether changes beside the log are under way. It is called on the session's
// goroutine.
func (j *Journal) Changing() bool { return j.own.changes > 0 }

// BeginClose has Do and Change refuse commands from now on. It is called on the session's
// goroutine.
func (j *Journal) BeginClose() { j.closing = true }

// Closing reports whether BeginClose was called. It is called on the session's goroutine.
func (j *Journal) Closing() bool { return j.closing }

// Gone is the error of a command of a session that closes or has left memory.
func (j *Journal) Gone() error { return wire.SessionNotFound(j.opts.ID) }

// Use notes that a command has come or a run has ended. It is called on the session's
// goroutine.
func (j *Journal) Use() { j.used = time.Now() }

// Used is when Use was called last, or the journal was made. It is called on the session's
// goroutine.
func (j *Journal) Used() time.Time { return j.used }

// Guard returns the error of f. A panic in f is logged, becomes an error, and harms nothing
// else.
func (j *Journal) Guard(f func() error) error { return Guard(j.opts.Logger, j.opts.ID, f) }

// Guard is [Journal.Guard] for a session that is not open yet.
func Guard(logs *slog.Logger, id string, f func() error) (err error) {
	defer Survive(logs, id, &err)
	return f()
}

// Survive is deferred by functions whose panic must not end the goroutine of a session. It
// logs the panic and stores it in *err, unless err is nil.
func Survive(logs *slog.Logger, id string, err *error) {
	if p := recover(); p != nil {
		if err != nil {
			*err = fault.New(fault.Internal, "session", id, "panic: %v", p)
		}
		logs.Error("the session panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}
