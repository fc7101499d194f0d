package session

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// errSuspended keeps a session from recording anything more.
var errSuspended error = &fault.Error{
	Op: "session", Kind: fault.Unavailable, Err: errors.New("the session has left memory, and what it waits for stays open"),
}

// Suspend is [Client.Detach] for a client that comes back with an answer. If it is
// the last one out and the run waits for an answer, the session leaves memory at
// once, and its log stays as it is: what was asked can be answered after a resume
// with ContinuePendingWork, as after a crash. What else the run was at ends as
// interrupted then.
func (c *Client) Suspend(ctx context.Context) error {
	s, waits := c.s, false
	err := s.post(ctx, func() error {
		waits = len(s.clients) == 1 && s.clients[0] == c && s.run != nil && s.waitsForClients() && !s.life.closing
		if waits {
			s.log.broken = errSuspended
			s.startClosing()
		}
		return nil
	})
	if err != nil || !waits {
		return c.Detach(ctx)
	}
	c.tail.Close()
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Suspend", s.id, "a run has not ended yet: %w", ctx.Err())
	}
}

// waitsForClients reports whether an open request, question or call needs a client.
func (s *Session) waitsForClients() bool {
	return s.permissions.Waiting() || s.questions.Waiting() || len(s.external.open) > 0
}
