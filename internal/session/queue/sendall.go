package queue

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SendAll gives the session messages that begin one run together, and returns their ids. In
// mode "immediate" they steer the run that is under way. Without any message, an idle session
// starts a run with the conversation as it is. With p.Wait, it returns when the run that has read
// the messages has ended, however that ended: [fault.Canceled] names what has dropped one before,
// [fault.Unavailable] says that the queue is paused. op is the method that its errors name.
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
	own, err := mailbox.Ask(ctx, q.session.Change, func() ([]*awaited, error) {
		if err := q.acceptAll(op, p, messages); err != nil || !p.Wait {
			return nil, err
		}
		return q.line.await(ids...), nil
	})
	if err == nil {
		err = q.settled(ctx, op, own)
	}
	return ids, err
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

// await notes that the sender of messages, which were just accepted, waits for the end of their run. Those that do
// not wait in the queue, or none at all, have begun the run under way.
func (l *line) await(ids ...string) (own []*awaited) {
	for _, id := range ids {
		if l.holds(id) {
			own = append(own, &awaited{id: id, gone: make(chan struct{})})
		}
	}
	if own == nil {
		return []*awaited{{run: l.session.Run().Ended()}}
	}
	l.awaited = append(l.awaited, own...)
	return own
}

// settled waits until the runs of messages have ended.
func (q *Queue) settled(ctx context.Context, op string, own []*awaited) error {
	for _, a := range own {
		if err := q.line.over(ctx, op, a); err != nil {
			return err
		}
	}
	return nil
}

// over waits until the run that reads a message has ended. [fault.Unavailable] if the queue is paused, so that
// the message is not sent, and [fault.Canceled] if it was dropped.
func (l *line) over(ctx context.Context, op string, a *awaited) error {
	type look struct {
		ended <-chan struct{} // of the run under way, or of that of the message
		gone  <-chan struct{} // of the message; nil once a run has it
	}
	dropped := func() error {
		if a.by == "" {
			return nil
		}
		return fault.New(fault.Canceled, op, l.id, "the message %s was dropped by %s before the model got it; send it again if it is still wanted", a.id, a.by)
	}
	for {
		now, err := mailbox.Ask(ctx, l.session.Do, func() (look, error) {
			run := l.session.Run()
			switch {
			case a.run != nil:
				return look{ended: a.run}, nil
			case !l.holds(a.id):
				l.left(a.id, "a change of the history") // unless it is known what has dropped it
				return look{}, dropped()
			case run == nil:
				return look{}, fault.New(fault.Unavailable, op, l.id, "the queue is paused; the messages wait in it")
			}
			return look{run.Ended(), a.gone}, nil
		})
		if err != nil {
			return err
		}
		select {
		case <-now.ended:
		case <-now.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
		if now.gone == nil {
			return l.session.Do(ctx, dropped) // a session that closes has cut the run off
		}
	}
}
