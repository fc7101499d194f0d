package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Withdraw takes a message back if its text is expected: one that waits, or the one that the
// run began with, as long as the model has not answered. Then the run is interrupted, and the
// message leaves the history. It reports what it did.
func (q *Queue) Withdraw(ctx context.Context, id, expected string) (done wire.QueueWithdrawn, err error) {
	type begun struct {
		removed bool
		ended   <-chan struct{} // the run that was interrupted; nil: none was
	}
	first, err := mailbox.Deliver(ctx, q.s.change, func() (begun, error) {
		for _, m := range q.s.state.Queue {
			if m.ID == id && !m.Command && m.Send.Prompt == expected {
				return begun{removed: true}, q.unqueue(m)
			}
		}
		if !q.unanswered() || q.s.run.begins != id || q.s.run.prompt != expected || !q.s.run.stop() {
			return begun{}, nil
		}
		q.held++
		return begun{ended: q.s.run.ended}, nil
	}, func(b begun) {
		if b.ended != nil {
			q.free()
		}
	})
	if first.ended == nil || err != nil {
		return wire.QueueWithdrawn{Removed: first.removed}, err
	}
	defer func() {
		_ = q.s.post(context.Background(), func() error { q.free(); return nil })
	}()
	select {
	case <-first.ended:
	case <-ctx.Done():
		return wire.QueueWithdrawn{Interrupted: true}, fault.New(fault.Unavailable, "session.queue.withdrawMessage", q.s.id, "the run has not ended yet: %w", ctx.Err())
	}
	event, err := q.s.History().unansweredMessage(ctx, id)
	if event == "" || err != nil {
		return wire.QueueWithdrawn{Interrupted: true}, err
	}
	if _, err := q.s.History().Truncate(ctx, event); err != nil {
		return wire.QueueWithdrawn{Interrupted: true}, err
	}
	return wire.QueueWithdrawn{Removed: true, Interrupted: true}, nil
}

// unanswered reports whether a run is under way whose first message the model has not
// answered.
func (q *Queue) unanswered() bool {
	if q.s.run == nil || q.s.run.begins == "" || q.s.run.first != "" && len(q.item(q.s.run.first)) > 0 {
		return false
	}
	messages := q.s.state.Main.Messages
	return len(messages) > 0 && messages[len(messages)-1].FromUser
}

// unansweredMessage returns the id of the event that recorded a message, "" if the model has
// answered since.
func (h History) unansweredMessage(ctx context.Context, messageID string) (eventID string, err error) {
	cuts, err := mailbox.Ask(ctx, h.s.do, func() (state.Spans, error) { return h.s.state.Cuts(), nil })
	if err != nil {
		return "", err
	}
	for rec, err := range cuts.Kept(h.records(ctx)()) {
		if err != nil {
			return "", err
		}
		e, err := wire.ParseEvent(rec.JSON)
		switch {
		case err != nil:
		case e.Type == "user.message" && wire.Raw(e.Data).Get("messageId").Text() == messageID:
			eventID = e.ID
		case e.Type == "assistant.message":
			eventID = ""
		}
	}
	return eventID, nil
}
