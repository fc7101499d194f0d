package session

import (
	"context"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ClearContext begins the conversation anew, from inside a tool: all that was said
// goes, the calls under way included, whose results the model never reads, and first
// is said next, before whatever else waits. The log and the session's settings stay;
// what skills allowed goes with their text, and a confirmation that is open is taken
// back. It returns how many messages went.
//
// Called again from the same calls, the later first counts. [fault.Invalid] without
// first, for a model cannot answer a conversation of nothing; [fault.Conflict] while no
// tool call is under way: between runs, a new session does the same.
func (s *Session) ClearContext(ctx context.Context, first string) (cleared int64, err error) {
	const op = "session.history.clearContext"
	if first == "" {
		return 0, fault.New(fault.Invalid, op, s.id, "the prompt that the new conversation begins with is empty")
	}
	err = s.do(ctx, func() error {
		if s.run == nil || len(s.open()) == 0 {
			return fault.New(fault.Conflict, op, s.id, "no tool call is under way; call it from inside a tool")
		}
		if cleared, err = s.spoken(); err != nil {
			return err
		}
		if err := s.record(&wire.ContextCleared{MessagesCleared: cleared, InitialMessage: &first}); err != nil {
			return err
		}
		s.say(&wire.PendingMessages{}, false)
		return s.talkOver()
	})
	return cleared, err
}

// spoken counts the messages of the conversation as the model sees them; results that
// are not there yet do not count.
func (s *Session) spoken() (n int64, err error) {
	entries, err := s.conversation.all(s.log.Read(1))
	for i := range entries {
		n += int64(len(entries[i].append(nil)))
		if !entries[i].cleared {
			n -= int64(len(openOf(entries[i].calls)))
		}
	}
	return n, err
}

// clears folds in that the conversation began anew. The message whose calls are under
// way stays until they have ended, unseen: their ends have to belong to something.
func (h *history) clears(data wire.Raw, _ time.Time) {
	left := conversation{whole: h.whole, cuts: h.cuts, torn: h.torn}
	if calls, at := h.lastCalls(); len(openOf(calls)) > 0 {
		left.say(entry{cleared: true, calls: slices.Clone(h.entries[at].calls)})
	}
	h.conversation = left
	h.lent, h.shown = nil, nil
	h.epoch++
	h.pending = slices.DeleteFunc(slices.Clone(h.pending), func(m message) bool { return m.seed })
	if first := data.Get("initialMessage").Text(); first != "" {
		m := message{id: h.lastID, seed: true, send: wire.Send{Prompt: first, Mode: "immediate"}}
		h.pending = slices.Insert(h.pending, 0, m)
	}
}

// unclutter lets the message of a cleared conversation go once its calls have ended.
func (c *conversation) unclutter() {
	c.entries = slices.DeleteFunc(slices.Clone(c.entries), func(e entry) bool {
		return e.cleared && len(openOf(e.calls)) == 0
	})
	c.weigh()
}
