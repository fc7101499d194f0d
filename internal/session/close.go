package session

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
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
	err = s.do(ctx, func() error {
		if p.Ephemeral != nil && *p.Ephemeral {
			id = s.log.emit(data)
			return nil
		}
		err := s.log.record(data)
		id = s.state.LastID
		return err
	})
	return id, err
}

// Close takes the session out of memory for all its clients: a run is aborted,
// session.shutdown recorded. What is on disk stays. It returns when that has
// happened or ctx ends. Closing a session that is closed is no error.
func (s *Session) Close(ctx context.Context) error { return s.close(ctx, false) }

func (s *Session) close(ctx context.Context, discard bool) error {
	err := s.post(ctx, func() error {
		s.life.discard = s.life.discard || discard
		s.startClosing()
		return nil
	})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Close", s.id, "a run has not ended yet: %w", ctx.Err())
	}
}

// ending is why a session was closed, as session.shutdown says it.
type ending struct {
	kind   wire.ShutdownType // empty: routine
	reason string            // of an error
}

// Shutdown is [Session.Close] with a reason, which is recorded. kind is "routine",
// also if empty, or "error".
func (s *Session) Shutdown(ctx context.Context, kind wire.ShutdownType, reason string) error {
	switch kind {
	case "", "routine":
		reason = "" // the protocol keeps it of errors
	case "error":
	default:
		return fault.New(fault.Invalid, "session.shutdown", s.id, `type is %q, want "routine" or "error"`, kind)
	}
	if err := s.do(ctx, func() error { s.life.ending = ending{kind, reason}; return nil }); err != nil {
		return err
	}
	return s.Close(ctx)
}

// beginClose asks the session to close and does not wait for it.
func (s *Session) beginClose() {
	_ = s.post(context.Background(), func() error { s.startClosing(); return nil })
}

func (s *Session) startClosing() {
	s.life.closing = true
	if s.compact.running != nil {
		s.compact.running.cancel()
	}
	if s.run != nil {
		s.run.stop()
	}
}

// shutdown is the last thing the session's goroutine does.
func (s *Session) shutdown() {
	s.tools.close()
	if !s.life.discard && s.log.broken == nil {
		if err := s.log.record(s.Metrics().farewell()); err != nil && fault.KindOf(err) != fault.Conflict {
			s.logs.Error("session.shutdown was not recorded", "err", err)
		}
	}
	s.log.endClaim()
	if err := s.log.Close(); err != nil {
		s.logs.Error("the log was not closed cleanly", "err", err)
	}
	if err := s.database.close(); err != nil {
		s.logs.Error("the session's database was not closed cleanly", "err", err)
	}
	for _, c := range s.clients {
		c.leave()
	}
	s.clients = nil
}

// expire lets a session that nothing has happened in for the idle timeout rest: its
// conversation leaves memory, and comes back from the log with the next message.
// What its clients see does not change.
func (s *Session) expire(timer *time.Timer) {
	left := s.reg.opts.IdleTimeout - time.Since(s.life.used)
	switch {
	case s.run != nil:
		timer.Reset(s.reg.opts.IdleTimeout) // it works, or waits for a person
	case left > 0:
		timer.Reset(left)
	default:
		s.state.Main.Release(s.state.Seq)
		timer.Reset(s.reg.opts.IdleTimeout)
	}
}

// idleTimer fires when a session may have expired; never without a timeout.
func (r *Registry) idleTimer() *time.Timer {
	t := time.NewTimer(max(r.opts.IdleTimeout, time.Hour))
	if r.opts.IdleTimeout <= 0 {
		t.Stop()
		return t
	}
	t.Reset(r.opts.IdleTimeout)
	return t
}
