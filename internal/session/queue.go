package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Queue is the accepted messages that have not been sent to the model, as clients read
// and change them.
type Queue struct {
	s       *Session
	headers map[string]map[string]string // of the messages, by id: they may be credentials and are never stored
}

// Queue returns the session's queue.
func (s *Session) Queue() *Queue { return &s.queue }

// enqueue keeps a message until the run ends, or, if it is to steer the run, until the
// run's next turn. The sender was given its id, so it is recorded. Its headers may be
// credentials and stay in memory.
func (q *Queue) enqueue(m message) error {
	why := "The message waits for the answer before it."
	switch {
	case q.s.run == nil:
		why = "The message is being prepared."
	case q.s.requests.HasPersonal():
		why = "The message is sent instead of a yes or a no."
	case m.Steers():
		why = "The message is sent with the next model call."
	}
	if err := q.s.log.record(m.Event(why)); err != nil {
		return err
	}
	if m.Send.RequestHeaders != nil {
		if q.headers == nil {
			q.headers = map[string]map[string]string{}
		}
		q.headers[m.ID] = m.Send.RequestHeaders
	}
	q.s.log.notify(&wire.PendingMessages{})
	q.s.agents.inbox.wake() // a run that waits for sub-agents ends for it
	return nil
}

// steers reports whether a message waits that is to reach the model with the next call.
func (q *Queue) steers() bool {
	return slices.ContainsFunc(q.s.state.Queue, func(m state.Queued) bool { return m.Steers() })
}

// steer sends the messages that are to reach the model with the next call.
func (t *thread) steer(ctx context.Context) error {
	for {
		m, ok := t.waiting((*state.Queued).Steers)
		if !ok {
			return nil
		}
		if _, err := t.recordMessage(ctx, m, "steering"); err != nil {
			return err
		}
	}
}

// next starts the loop for the first message that waits; one that was to steer the run
// that has ended comes before the others. It reports false if no message waits.
func (q *Queue) next() bool {
	if len(q.s.state.Queue) == 0 {
		return false
	}
	queue := q.s.state.Queue
	m := message{Queued: queue[max(slices.IndexFunc(queue, func(m state.Queued) bool { return m.Steers() }), 0)]}
	m.Send.RequestHeaders = q.headers[m.ID]
	q.s.launch(m, "queued")
	return true
}

// flush records all messages that wait, and starts no run for them: a message that a
// process accepted before it died is not lost, and the model reads it with the next one. It
// reads attachments, so it is called while the session is opened, before its goroutine
// begins. own says whether this machine knows the session; if not, the log could attach any
// file, so attachments are left out.
func (q *Queue) flush(own bool) error {
	for _, waiting := range slices.Clone(q.s.state.Queue) {
		m := message{Queued: waiting}
		if !own {
			m.Send.Attachments = nil
		}
		forExtension(q.s).address(&m)
		err := q.s.log.record(m.events("queued", inputOf(q.s).attached(m.Send.Prompt, m))...)
		if fault.KindOf(err) == fault.Invalid && err != nil { // too long: it must not keep the session from being opened
			q.s.logs.Warn("a message that waited cannot be recorded", "message", m.ID, "err", err)
			err = q.unqueue(waiting)
		}
		if err == nil && m.Send.AgentMode == state.ModeShell { // the model reads that it was not run
			err = orphansOf(q.s).close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Pending returns the messages that wait for the run to end, the next one first, and
// the texts of those that are to steer it.
func (q *Queue) Pending(ctx context.Context) (wire.QueuePending, error) {
	return mailbox.Ask(ctx, q.s.do, func() (p wire.QueuePending, _ error) {
		for _, m := range q.s.state.Queue {
			if m.Steers() {
				p.SteeringMessages = append(p.SteeringMessages, m.Shown())
				continue
			}
			p.Items = append(p.Items, wire.QueueItem{
				ID: m.ID, Kind: "message", DisplayText: m.Shown(), AgentMode: wire.QueueItemMode(cmp.Or(m.Send.AgentMode, "interactive")),
			})
		}
		return p, nil
	})
}

// RemoveLast removes the message that came last from the queue; it reports false
// if none waits. A removed message stays removed after a crash.
func (q *Queue) RemoveLast(ctx context.Context) (removed bool, err error) {
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		if len(q.s.state.Queue) == 0 {
			return false, nil
		}
		err := q.unqueue(q.s.state.Queue[len(q.s.state.Queue)-1:]...)
		return err == nil, err
	})
}

// Clear removes all messages from the queue.
func (q *Queue) Clear(ctx context.Context) error {
	return q.s.change(ctx, func() error {
		if len(q.s.state.Queue) == 0 {
			return nil
		}
		return q.unqueue(q.s.state.Queue...)
	})
}

// unqueue removes messages that wait, for good.
func (q *Queue) unqueue(messages ...state.Queued) error {
	var d wire.DroppedMessages
	for _, m := range messages {
		d.MessageIDs = append(d.MessageIDs, m.ID)
	}
	info := &wire.SessionInfo{InfoType: wire.InfoMessagesDropped, Message: "A waiting message was removed."}
	if len(messages) > 1 {
		info.Message = "The waiting messages were removed."
	}
	if err := q.s.log.record(wire.WithJSON(info, wire.FieldDropped, d)); err != nil {
		return err
	}
	for _, id := range d.MessageIDs {
		delete(q.headers, id)
	}
	q.s.log.notify(&wire.PendingMessages{})
	return nil
}

func (q *Queue) holds(id string) bool {
	return slices.ContainsFunc(q.s.state.Queue, func(m state.Queued) bool { return m.ID == id })
}
