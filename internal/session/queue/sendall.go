package queue

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SendAll gives the session messages that begin one run together, and returns their ids. In
// mode "immediate" they steer the run that is under way. Without any message, an idle session
// starts a run with the conversation as it is. With p.Wait, it returns when the run has
// ended. op is the method that its errors name.
func (q *Queue) SendAll(ctx context.Context, op string, p wire.SendMessages) (ids []string, err error) {
	if p.Mode != "" && p.Mode != "enqueue" && p.Mode != "immediate" {
		return nil, fault.New(fault.Invalid, op, q.id, `mode is %q, want "enqueue" or "immediate"`, p.Mode)
	}
	var messages []Message
	for _, send := range p.Messages {
		send.Mode, send.AgentMode, send.ResponseFormat = p.Mode, p.AgentMode, p.ResponseFormat
		send.RequestHeaders, send.HeadersBy = p.RequestHeaders, p.HeadersBy
		send.Traceparent = cmp.Or(send.Traceparent, p.Traceparent)
		m := Message{Queued: state.Queued{ID: wire.NewID(), Send: send}}
		if err := m.Valid(op, q.id); err != nil {
			return nil, err
		}
		if err := m.CheckFormat(q.session.CheckFormat); err != nil {
			return nil, fault.New(fault.Invalid, op, q.id, "%w", err)
		}
		m.Send.Mode = ""
		messages, ids = append(messages, m), append(ids, m.ID)
	}
	if p.AgentMode == state.ModeShell && len(messages) > 1 {
		return nil, fault.New(fault.Invalid, op, q.id, "shell commands run one at a time; send them one by one")
	}
	if err := q.session.ReadHooks(ctx); err != nil {
		return nil, err
	}
	if err := q.session.Change(ctx, func() error { return q.acceptAll(op, p, messages) }); err != nil || !p.Wait {
		return ids, err
	}
	return ids, q.settled(ctx, op, ids)
}

// queued are messages as the queue has them.
func queued(messages []Message) (items []state.Queued) {
	for _, m := range messages {
		items = append(items, m.Queued)
	}
	return items
}

// acceptAll takes messages that were sent together.
func (q *Queue) acceptAll(op string, p wire.SendMessages, messages []Message) error {
	if err := q.line.room(queued(messages)...); err != nil {
		return err
	}
	for _, m := range messages {
		if err := q.unformatted(op, &m); err != nil {
			return err
		}
	}
	q.stopped = false
	switch {
	case len(messages) == 0 && (q.session.Run() != nil || len(q.line.waiting()) > 0):
		return fault.New(fault.Conflict, op, q.id, "the session is working; without a message it can only be continued when it is idle")
	case len(messages) == 0:
		q.session.Launch(Message{Queued: state.Queued{Send: wire.Send{AgentMode: p.AgentMode, RequestHeaders: p.RequestHeaders, HeadersBy: p.HeadersBy, ResponseFormat: p.ResponseFormat, Traceparent: p.Traceparent}}}, "")
		return nil
	case p.Mode == "immediate" && q.session.Run() != nil:
		for _, m := range messages {
			m.Send.Mode = p.Mode
			if err := q.keep(m); err != nil {
				return err
			}
		}
		return q.session.WithdrawPersonal()
	}
	if len(messages) > 1 {
		for i := range messages {
			messages[i].Batch = messages[len(messages)-1].ID
		}
	}
	position := int64(len(q.line.items()))
	if p.Prepend || q.session.State().Hold.Held {
		position = 0
	}
	if err := q.line.insert(position, messages...); err != nil {
		return err
	}
	if q.session.State().Hold.Held { // it ends with the next message
		return q.goOn()
	}
	q.Drain()
	return nil
}

// settled waits until the run of messages has ended. [fault.Unavailable] if the queue is
// paused, so that they are not sent.
func (q *Queue) settled(ctx context.Context, op string, ids []string) error {
	for {
		ended, err := mailbox.Ask(ctx, q.session.Do, func() (<-chan struct{}, error) {
			waiting, run := slices.ContainsFunc(ids, q.line.holds), q.session.Run()
			switch {
			case waiting && run == nil:
				return nil, fault.New(fault.Unavailable, op, q.id, "the queue is paused; the messages wait in it")
			case run != nil && (waiting || len(ids) == 0 || slices.Contains(ids, run.Begins())):
				return run.Ended(), nil
			}
			return nil, nil
		})
		if ended == nil || err != nil {
			return err
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
		if len(ids) == 0 {
			return nil
		}
	}
}
