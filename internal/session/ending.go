package session

import (
	"cmp"
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ending is why a session ends: session.shutdown records what a client said, and sessionEnd
// hooks also get how the last run has ended.
type ending struct {
	kind   wire.ShutdownType // what a client said; empty: routine
	reason string            // of an error
	last   hook.End          // of the last run; empty: there was none
}

// Shutdown is [Session.Close] with a reason, which is recorded. kind is "routine",
// also if empty, or "error". If ctx ends early, the reason may be kept for the next close.
func (s *Session) Shutdown(ctx context.Context, kind wire.ShutdownType, reason string) error {
	switch kind {
	case "", "routine":
		reason = "" // the protocol keeps it of errors
	case "error":
	default:
		return fault.New(fault.Invalid, "session.shutdown", s.id, `type is %q, want "routine" or "error"`, kind)
	}
	err := s.log.Do(ctx, func() error { s.life.ending.kind, s.life.ending.reason = kind, reason; return nil })
	if err != nil {
		return err
	}
	return s.Close(ctx)
}

// hooks returns why the session ends, for its hooks: because of an error, else because the user
// leaves, else as the last run has ended. A session that only leaves memory until it has an
// answer is complete.
func (e *ending) hooks(s *Session) hook.End {
	broken := s.log.Broken()
	switch {
	case e.kind == "error", broken != nil && !errors.Is(broken, errSuspended):
		return hook.EndError
	case broken != nil:
		return hook.EndComplete
	case s.home.UserLeaves:
		return hook.EndUserExit
	}
	return cmp.Or(e.last, hook.EndComplete)
}

// ran keeps how a run has ended.
func (e *ending) ran(out turn.Outcome) {
	var late *overtime
	switch {
	case out.Aborted:
		e.last = hook.EndAbort
	case out.Err != nil:
		e.last = hook.EndError
	case errors.As(out.Stopped, &late):
		e.last = hook.EndTimeout
	default:
		e.last = hook.EndComplete
	}
}
