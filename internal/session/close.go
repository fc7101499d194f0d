package session

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Log adds a remark of a client to the log and returns the event's id.
func (s *Session) Log(ctx context.Context, p wire.LogEntry) (id string, err error) {
	kind := "notification"
	if p.Type != nil && *p.Type != "" {
		kind = *p.Type
	}
	var data wire.Data
	switch level := wire.LogLevel(p); level {
	case "", "info":
		data = &wire.SessionInfo{InfoType: kind, Message: p.Message, URL: p.URL, Tip: p.Tip}
	case "warning":
		data = &wire.SessionWarning{WarningType: kind, Message: p.Message, URL: p.URL}
	case "error":
		data = &wire.SessionError{ErrorType: kind, Message: p.Message, URL: p.URL}
	default:
		return "", fault.New(fault.Invalid, "session.log", s.id, `level is %q, want "info", "warning" or "error"`, level)
	}
	return mailbox.Ask(ctx, s.log.Do, func() (string, error) {
		// The field is not one of the SDK's, so that only an error that could be mistaken for the end of a run has it.
		if e, isError := data.(*wire.SessionError); isError && s.log.State().Main.Unanswered {
			data = wire.WithJSON(e, wire.FieldLogged, true)
		}
		if p.Ephemeral != nil && *p.Ephemeral {
			return s.log.Send("", data, true), nil
		}
		err := s.log.Record("", data)
		return s.log.State().LastID, err
	})
}

// Close takes the session out of memory for all its clients: a run is aborted,
// session.shutdown recorded. Files on disk are kept. It returns when that has
// happened. If ctx ends first, the error is [fault.Unavailable] when the session is
// already closing, which continues, and ctx.Err() when it may not be. Closing a session
// that is closed is no error.
func (s *Session) Close(ctx context.Context) error { return s.life.close(ctx, false) }

func (l *lifetime) close(ctx context.Context, discard bool) error {
	err := l.s.log.Post(ctx, func() error {
		l.discard = l.discard || discard
		l.startClosing()
		return nil
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	select {
	case <-l.s.Closed():
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Close", l.s.id, "a run has not ended yet: %w", ctx.Err())
	}
}

// Discard is [Session.Close] for a session that is deleted: it records nothing more.
func (s *Session) Discard(ctx context.Context) error { return s.life.close(ctx, true) }

// BeginClose asks the session to close, and waits for nothing. The session closes when its goroutine has finished
// its current function.
func (s *Session) BeginClose() { s.life.closeLater(s.life.startClosing) }

// BeginSuspend is [Session.BeginClose], but the log of a session with a run stays as it is, so that a resume can
// go on with the run.
func (s *Session) BeginSuspend() { s.life.closeLater(func() { suspend(s) }) }

func (l *lifetime) closeLater(leave func()) {
	l.s.log.Go("session.close", func() {
		_ = l.s.log.Post(context.Background(), func() error { leave(); return nil })
	})
}

// suspend is startClosing that leaves the log as it is if a run is under way: a resume goes on with
// it. A run that was aborted is over.
func suspend(s *Session) {
	if s.run != nil && !s.run.stopped() && !s.log.Closing() && s.log.Broken() == nil {
		s.log.Break(errSuspended)
	}
	s.life.startClosing()
}

// startClosing is idempotent. It is called on the session's goroutine.
func (l *lifetime) startClosing() {
	s := l.s
	s.log.BeginClose()
	s.compact.GiveUp()
	s.agents.Stop()
	if s.run != nil {
		s.run.stop()
	}
	s.questions.Close()
	s.tools.user.CancelAll()
}

// parting ends, once the session closes and nothing works in it any more, what can take
// long: it calls the sessionEnd hooks, closes the tools and the database, and waits for
// the description of the folder. It reports whether that is still under way. It is called
// on the session's goroutine, before each command; the work is done on another.
func (l *lifetime) parting() bool {
	s := l.s
	if l.parted == nil {
		l.parted = make(chan struct{})
		if s.hooks.Any() && s.permissions.Confines() {
			s.tools.own() // the last hooks may need its sandboxes, which must be closed after them
		}
		discard, why, closeTools := l.discard, l.ending.hooks(s), s.tools.closing()
		s.log.Go("session.part", func() {
			defer func() { // wakes the session's goroutine, which alone closes the channel
				_ = s.log.Post(context.Background(), func() error { close(l.parted); return nil })
			}()
			l.part(discard, why, closeTools)
		})
	}
	select {
	case <-l.parted:
		return false
	default:
		return true
	}
}

// part does the work of parting. A panic in one step does not keep the next from being
// done.
func (l *lifetime) part(discard bool, why hook.End, closeTools func()) {
	s := l.s
	if !discard {
		_ = s.log.Guard(func() error { s.hooks.SessionEnd(context.Background(), why); return nil })
	}
	_ = s.log.Guard(func() error { closeTools(); return nil })
	if err := s.log.Guard(s.workspace.CloseDatabase); err != nil {
		s.log.Logger().Error("the session's database was not closed cleanly", "err", err)
	}
	s.workspace.Flush()
	s.storage.removeLocal()
}

// shutdown is the last thing that the session's goroutine does.
func (l *lifetime) shutdown() {
	s := l.s
	_ = s.log.Guard(func() error {
		if l.discard || s.log.Broken() != nil {
			return nil
		}
		event := s.metrics.Shutdown()
		event.ShutdownType, event.ErrorReason = cmp.Or(l.ending.kind, "routine"), wire.Optional(l.ending.reason)
		if err := s.log.Record("", event); err != nil && fault.KindOf(err) != fault.Conflict {
			s.log.Logger().Error("session.shutdown was not recorded", "err", err)
		}
		return nil
	})
	if err := s.log.Close(); err != nil {
		s.log.Logger().Error("the log was not closed cleanly", "err", err)
	}
	s.dropAll()
}

// expire frees the memory of the conversation if no command has come for the idle
// timeout. The next message reads the conversation from the log again. Clients see no
// change.
func (l *lifetime) expire(timer *time.Timer) {
	s := l.s
	left := s.home.IdleTimeout - time.Since(s.log.Used())
	switch {
	case s.run != nil:
		timer.Reset(s.home.IdleTimeout) // it works, or waits for the user
	case left > 0:
		timer.Reset(left)
	default:
		s.log.State().Main.Release(s.log.State().Seq)
		timer.Reset(s.home.IdleTimeout)
	}
}

// idleTimer fires when a session may have expired; never without a timeout.
func (h *Home) idleTimer() *time.Timer {
	t := time.NewTimer(max(h.IdleTimeout, time.Hour))
	if h.IdleTimeout <= 0 {
		t.Stop()
		return t
	}
	t.Reset(h.IdleTimeout)
	return t
}

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
