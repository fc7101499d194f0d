package queue

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Send accepts a message. An idle session records it and starts a run
// before Send returns. A busy one queues it, to be answered after the run, or,
// in mode "immediate", puts it before the next model call. The id returned is
// that of the message. With p.Wait it returns as [Queue.SendAll] does. If ctx ends early, the message may still be accepted: then a
// client sees it as user.message, and Send has returned its id with the error.
func (q *Queue) Send(ctx context.Context, p wire.Send) (id string, err error) {
	const op = "session.send"
	m := Message{Queued: state.Queued{ID: wire.NewID(), Send: p}}
	if p.Mode != "" && p.Mode != "enqueue" && p.Mode != "immediate" {
		return "", fault.New(fault.Invalid, op, q.id, `mode is %q, want "enqueue" or "immediate"`, p.Mode)
	}
	if err := m.Valid(op, q.id); err != nil {
		return "", err
	}
	if err := m.CheckFormat(q.session.CheckFormat); err != nil {
		return "", fault.New(fault.Invalid, op, q.id, "%w", err)
	}
	if err := q.session.ReadHooks(ctx); err != nil {
		return "", err
	}
	for range maxSendTries {
		var u *prompt.UserMessage
		if m.Send.Attachments != nil { // they may be files, which are read here
			var err error
			if m, err = q.prepared(ctx, m); err != nil {
				return "", err
			}
			shown := q.session.Attach(m.Send.Prompt, m)
			u = &shown
		}
		type taken struct {
			accepted bool
			own      []*awaited // that the sender waits for
		}
		took, err := mailbox.Ask(ctx, q.session.Begin, func() (t taken, err error) {
			if t.accepted, err = q.accept(m, u); t.accepted && err == nil && p.Wait {
				t.own = q.line.await(m.ID)
			}
			return t, err
		})
		if took.accepted || err != nil {
			if err == nil {
				err = q.settled(ctx, op, took.own)
			}
			return m.ID, err
		}
	}
	return "", fault.New(fault.Unavailable, op, q.id, "the session's model or tools changed again and again while the attachments were read; try again")
}

// maxSendTries bounds how often the attachments of a message are read anew because the
// session changed to another model or lost tools meanwhile, which a message depends on.
const maxSendTries = 10

// prepared returns the message with what it depends on, as for runs that begin now.
func (q *Queue) prepared(ctx context.Context, m Message) (Message, error) {
	return mailbox.Ask(ctx, q.session.Do, func() (Message, error) {
		m := m
		q.session.Prepare(&m)
		return m, nil
	})
}

// unformatted returns why a message cannot have its answer in the form that it wants; nil if it can.
func (q *Queue) unformatted(op string, m *Message) error {
	if m.Send.ResponseFormat != nil && !q.session.HasFormats() {
		return fault.New(fault.Invalid, op, q.id, "responseFormat cannot be used with an agent of another system")
	}
	return nil
}

// accept takes a message; u is the message with its attachments, nil for one without.
// It reports false, and has done nothing, if u was made for another model, or with other
// tools, than the session has now.
func (q *Queue) accept(m Message, u *prompt.UserMessage) (accepted bool, err error) {
	q.session.Listened()
	if err := q.unformatted("session.send", &m); err != nil {
		return false, err
	}
	if err := q.line.room(m.Queued); err != nil {
		return false, err
	}
	q.stopped = false
	m.Send.Traceparent = cmp.Or(m.Send.Traceparent, q.session.Traceparent())
	switch idle := q.session.Run() == nil; {
	case q.session.State().Hold.Held:
		return true, q.goOnWith(m)
	case idle && (len(q.line.waiting()) > 0 || q.waits(&m.Queued)): // it was paused
		if err := q.keep(m); err != nil {
			return false, err
		}
		q.Drain()
		return true, nil
	case !idle:
		if err := q.keep(m); err != nil {
			return false, err
		}
		return true, q.session.WithdrawPersonal()
	case q.session.HasHooks(): // they see it first, on the goroutine of the run
		if err := q.keep(m); err != nil {
			return false, err
		}
		q.session.Launch(m, "idle")
		return true, nil
	}
	return q.answer(m, u)
}

// answer is accept in an idle session in which nothing waits: it records the message and starts its
// run.
func (q *Queue) answer(m Message, u *prompt.UserMessage) (accepted bool, err error) {
	before := m
	m.Begin(q.session.State(), wire.NewID())
	q.session.Prepare(&m)
	if u != nil && !m.SameAddress(before) {
		return false, nil
	}
	if u == nil {
		plain := q.session.Attach(m.Send.Prompt, m)
		u = &plain
	}
	if err := q.record(m, "idle", *u, ""); err != nil {
		return false, err
	}
	q.session.Changed()
	q.session.Launch(Message{Interaction: m.Interaction, Queued: state.Queued{Send: wire.Send{
		Prompt: m.Send.Prompt, AgentMode: m.Send.AgentMode, RequestHeaders: m.Send.RequestHeaders, HeadersBy: m.Send.HeadersBy, ResponseFormat: m.Send.ResponseFormat, Traceparent: m.Send.Traceparent,
	}}}, "")
	return true, nil
}

// Find returns the first of the messages that wait that match does. It also does so after an abort
// of the run, because what was accepted is recorded. It is not called on the session's goroutine.
func (q *Queue) Find(match func(*state.Queued) bool) (m Message, ok bool) {
	_ = q.session.Post(context.Background(), func() error {
		for _, waiting := range q.line.waiting() {
			if match(&waiting) {
				m, ok = Message{Queued: waiting}, true
				break
			}
		}
		return nil
	})
	return m, ok
}

// Record records a message that waits as part of the conversation. u is what the model reads, added
// what hooks have added, "" for nothing. It reports false if the message was removed meanwhile.
func (q *Queue) Record(m Message, delivery string, u prompt.UserMessage, added string) (recorded bool, err error) {
	if !q.line.holds(m.ID) {
		return false, nil
	}
	if err := q.record(m, delivery, u, added); err != nil {
		return false, err
	}
	q.line.left(m.ID, "")
	return true, nil
}

// Refuse removes a message that waits because a hook does not let it reach the model, and tells the clients why, ""
// if the hook gave no reason.
func (q *Queue) Refuse(m Message, why string) error {
	if !q.line.holds(m.ID) {
		return nil
	}
	const told = "A hook has blocked the message, and the model does not get it."
	if why != "" {
		why = " The hook says: " + why
	}
	if err := q.line.remove(byHook, "A hook has blocked a message.", m.Queued); err != nil {
		return err
	}
	warning := &wire.SessionWarning{WarningType: wire.WarningPolicyBlocked, Message: told + why}
	return q.session.Record("", wire.With(warning, wire.WarningMore{OriginatingMessageID: m.ID}))
}

// record records a message with all events that belong to it: before it what hooks have added, after
// it what is left of the limits.
func (q *Queue) record(m Message, delivery string, u prompt.UserMessage, added string) error {
	var events []wire.Data
	if added != "" {
		events = append(events, Aside(state.SourceHook, added))
	}
	events = append(events, m.Events(delivery, u)...)
	if status := q.session.LimitsStatus(); status != "" {
		events = append(events, Aside(state.SourceLimits, status))
	}
	untitled := q.session.State().Label() == ""
	if err := q.session.Record("", events...); err != nil {
		return err
	}
	titled := untitled && q.session.State().Label() != ""
	q.session.Notify("", &wire.PendingMessages{})
	q.session.Asked(titled)
	if titled {
		q.session.Notify("", &wire.SessionTitleChanged{Title: q.session.State().Title})
	}
	return nil
}

// Settle decides what becomes of a message that a run could not record, which why
// explains. If only the run's time is over, the message is recorded as its sender wrote
// it. If the session closes, the next resume records it. If it can never be recorded, it is
// removed from the queue, because it would end every run and every resume to come. Its
// attachments are read on the caller's goroutine, which is not the session's. It has no context: the
// run's has ended.
func (q *Queue) Settle(m Message, delivery string, why error) error {
	for range maxSendTries {
		before, err := q.prepared(context.Background(), m)
		if err != nil {
			return nil // the session closes
		}
		var u prompt.UserMessage
		if fault.KindOf(why) != fault.Invalid {
			u = q.session.Attach(m.Send.Prompt, before)
		}
		done := false
		err = q.session.Post(context.Background(), func() error {
			m := m
			q.session.Prepare(&m)
			if done = m.SameAddress(before); !done {
				return nil
			}
			return q.settle(m, delivery, u, why)
		})
		if done || err != nil {
			return err
		}
	}
	return nil // it is in the queue for the next run
}

// settle is Settle on the session's goroutine; u is the message with its attachments.
func (q *Queue) settle(m Message, delivery string, u prompt.UserMessage, why error) error {
	switch {
	case q.session.Closing() || !q.line.holds(m.ID):
		return nil
	case fault.KindOf(why) == fault.Invalid:
		return q.line.unqueue("its run, which could not record it", m.Queued)
	}
	_, err := q.Record(m, delivery, u, "")
	return err
}
