package rewind

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Clear restarts the conversation, from inside a tool. All messages leave the conversation, and
// so do the calls under way, whose results the model never reads. first is sent next, before
// other messages that wait. The log and the session's settings stay; what skills allowed ends
// with their text, and an open confirmation is withdrawn. It returns how many messages left the
// conversation.
//
// If two calls under way clear it, the later first counts. [fault.Invalid] without
// first, because a model cannot answer an empty conversation; [fault.Conflict] while no
// tool call is under way: between runs, a new session does the same. If ctx ends early,
// the conversation may still be cleared.
func (h History) Clear(ctx context.Context, first string) (cleared int64, err error) {
	const op = "session.history.clearContext"
	if first == "" {
		return 0, fault.New(fault.Invalid, op, h.id, "the prompt that the new conversation begins with is empty")
	}
	for range maxRewindTries {
		older, n, err := h.countReleased(ctx)
		if err != nil {
			return 0, err
		}
		cleared, err := mailbox.Ask(ctx, h.s.Do, func() (*int64, error) {
			if !h.s.Working() || len(h.s.State().Main.Open()) == 0 {
				return nil, fault.New(fault.Conflict, op, h.id, "no tool call is under way; call it from inside a tool")
			}
			if h.s.State().Main.Released != older {
				return nil, nil
			}
			cleared := n + state.Visible(h.s.State().Main.Messages)
			if err := h.s.Record("", &wire.ContextCleared{MessagesCleared: cleared, InitialMessage: &first}); err != nil {
				return nil, err
			}
			h.s.Notify("", &wire.PendingMessages{})
			return &cleared, h.s.WithdrawPersonal()
		})
		switch {
		case err != nil:
			return 0, err
		case cleared != nil:
			return *cleared, nil
		}
	}
	return 0, fault.New(fault.Unavailable, op, h.id, "the conversation changed again and again while it was read; try again")
}

// countReleased counts the visible messages that are in the log only, on the caller's
// goroutine, and how many there are in all.
func (h History) countReleased(ctx context.Context) (released int, visible int64, err error) {
	type position struct {
		main state.Thread
		cuts state.Spans
	}
	now, err := mailbox.Ask(ctx, h.s.Do, func() (position, error) {
		now := position{h.s.State().Main, h.s.State().Cuts()}
		now.main.Messages = nil // those in memory change meanwhile
		return now, nil
	})
	if err != nil || now.main.Released == 0 {
		return 0, 0, err
	}
	older, err := now.main.All(now.cuts, h.Records(ctx)())
	return now.main.Released, state.Visible(older), err
}
