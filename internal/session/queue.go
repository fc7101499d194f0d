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

// Queue is the accepted messages that have not been sent to the model, and the slash commands
// that have not run, as clients read and change them. queue.go has what a run and every
// client needs of it, queuehold.go how it stops and goes on, queueedit.go what else clients can do with it.
type Queue struct {
	s        *Session
	headers  map[string]sentHeaders // of the messages, by id: they may be credentials and are never stored
	schedule Schedule
	paused   bool // by a client: what does not steer a run waits
	stopped  bool // by the answer to a queued command: the same, until the next message or command
	held     int  // commands of clients that change what a run has left: nothing begins until they have ended
}

// Queue returns the session's queue.
func (s *Session) Queue() *Queue { return &s.queue }

// enqueue keeps a message until the run ends, or, if it is to steer the run, until the
// run's next turn. The sender was given its id, so it is recorded. Its headers may be
// credentials and stay in memory.
func (q *Queue) enqueue(m message) error {
	why := "The message waits for the answer before it."
	switch {
	case q.waits(&m.Queued):
		why = "The queue is paused."
	case q.s.run == nil:
		why = "The message is being prepared."
	case m.Command:
		why = "The command waits for the answer before it."
	case q.s.requests.HasPersonal():
		why = "The message is sent instead of a yes or a no."
	case m.Steers():
		why = "The message is sent with the next model call."
	}
	if err := q.s.log.Record("", m.Event(why)); err != nil {
		return err
	}
	q.keepHeaders(m)
	q.s.log.Notify("", &wire.PendingMessages{})
	q.s.agents.Wake() // a run that waits for sub-agents ends for it
	return nil
}

// keepHeaders keeps the headers of a message until it is sent.
func (q *Queue) keepHeaders(m message) {
	if m.Send.RequestHeaders == nil {
		return
	}
	if q.headers == nil {
		q.headers = map[string]sentHeaders{}
	}
	q.headers[m.ID] = sentHeaders{m.Send.RequestHeaders, m.Send.HeadersBy}
}

// sentHeaders are the headers of a message, and their owner.
type sentHeaders struct {
	headers map[string]string
	by      string
}

// withHeaders gives a message of the queue the headers that were kept for it.
func (q *Queue) withHeaders(m *state.Queued) {
	kept := q.headers[m.ID]
	m.Send.RequestHeaders, m.Send.HeadersBy = kept.headers, kept.by
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
// that has ended comes before the others. It reports false if no message waits, or the queue
// is paused.
func (q *Queue) next() bool {
	m, ok := q.ready()
	if !ok {
		return false
	}
	q.withHeaders(&m.Queued)
	q.s.launch(m, "queued")
	return true
}

// ready returns the message that next sends.
func (q *Queue) ready() (m message, ok bool) {
	queue := q.s.state.Queue
	if len(queue) == 0 {
		return m, false
	}
	m = message{Queued: queue[max(slices.IndexFunc(queue, func(m state.Queued) bool { return m.Steers() }), 0)]}
	return m, !q.waits(&m.Queued)
}

// waits reports whether a message has to wait although no run is under way.
func (q *Queue) waits(m *state.Queued) bool {
	return q.held > 0 || (q.paused || q.stopped || q.s.state.Hold.Held) && !m.Steers()
}

// drain starts the next run if the session is idle.
func (q *Queue) drain() {
	q.s.agents.Wake() // a run that waits for sub-agents ends for it
	if q.s.run == nil && !q.s.log.Closing() {
		q.next()
	}
}

// free ends one command that has counted itself in held.
func (q *Queue) free() {
	q.held--
	q.drain()
}

// room returns an error unless the queue takes these messages, too. One that has the id of a message of the queue
// takes its place. A queue that would otherwise be empty takes every message.
func (q *Queue) room(messages ...state.Queued) error {
	count, size := len(messages), 0
	for _, m := range messages {
		size += m.Size()
	}
	alone := true
	for _, m := range q.s.state.Queue {
		if !slices.ContainsFunc(messages, func(fresh state.Queued) bool { return fresh.ID == m.ID }) {
			count, size, alone = count+1, size+m.Size(), false
		}
	}
	switch {
	case count > maxQueue:
		return fault.New(fault.Unavailable, "session.send", q.s.id, "%d messages are waiting already", maxQueue)
	case size > maxQueueSize && !alone:
		return fault.New(fault.Unavailable, "session.send", q.s.id, "the messages that wait would have %d bytes together, and can have %d; send this one when the run has ended, or remove others from the queue", size, maxQueueSize)
	}
	return nil
}

// pendingWork is what the client that opens a session wants done with the work that the process
// before has left.
type pendingWork struct {
	own         bool // this machine knows the session
	continued   bool // messages are sent as if the session had never stopped
	held        bool // or rather when the user goes on
	interrupted bool // a run was under way, and is closed
}

// reopen decides what becomes of what waits in a log that is opened.
func (q *Queue) reopen(w pendingWork) error {
	left := q.dropCommands
	if !w.continued {
		left = func() error { return q.flush(w.own) }
	}
	if err := left(); err != nil {
		return err
	}
	if err := q.reopenHold(w); err != nil {
		return err
	}
	return q.schedule.reopen(w.own)
}

// flush records all queued messages, and starts no run for them: a message that a
// process accepted before it died is not lost, and the model reads it with the next one. It
// reads attachments, so it is called while the session is opened, before its goroutine
// begins. own says whether this machine knows the session; if not, the log could attach any
// file, so attachments are left out.
func (q *Queue) flush(own bool) error {
	if err := q.dropCommands(); err != nil {
		return err
	}
	for _, waiting := range slices.Clone(q.s.state.Queue) {
		m := message{Queued: waiting}
		if !own {
			m.Send.Attachments = nil
		}
		forExtension(q.s).address(&m)
		err := q.s.log.Record("", m.Events("queued", inputOf(q.s).attached(m.Send.Prompt, m))...)
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

// dropCommands removes the slash commands that a process left in the queue when it ended. A
// log does not make commands run.
func (q *Queue) dropCommands() error {
	commands := slices.DeleteFunc(slices.Clone(q.s.state.Queue), func(m state.Queued) bool { return !m.Command })
	if len(commands) == 0 {
		return nil
	}
	return q.remove("The process ended before the waiting commands ran; they were removed.", commands...)
}

// Pending returns the messages and commands that wait for the run to end, the next one first,
// and the texts of those that are to steer it.
func (q *Queue) Pending(ctx context.Context) (wire.QueueListed, error) {
	return mailbox.Ask(ctx, q.s.do, func() (p wire.QueueListed, _ error) {
		if q.unanswered() {
			p.WithdrawableTurnMessageID = q.s.run.begins
		}
		for _, m := range q.s.state.Queue {
			if m.Steers() {
				p.SteeringMessages = append(p.SteeringMessages, m.Shown())
				continue
			}
			item := wire.QueueItem{
				ID: m.Item(), Kind: "message", MessageID: &m.ID, DisplayText: m.Shown(), AgentMode: wire.QueueItemMode(cmp.Or(m.Send.AgentMode, "interactive")),
			}
			if m.Command {
				item.Kind, item.MessageID = "command", nil
			}
			p.Items = append(p.Items, item)
		}
		p.Held, p.Interrupted = q.s.state.Hold.Held, q.s.state.Hold.Interrupted
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
		err := q.unqueue(q.item(q.s.state.Queue[len(q.s.state.Queue)-1].Item())...)
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

// unqueue removes queued messages for good.
func (q *Queue) unqueue(messages ...state.Queued) error {
	why := "A queued message was removed."
	if len(messages) > 1 {
		why = "The queued messages were removed."
	}
	return q.remove(why, messages...)
}

// remove is unqueue with what the user reads.
func (q *Queue) remove(why string, messages ...state.Queued) error {
	var d wire.DroppedMessages
	for _, m := range messages {
		d.MessageIDs = append(d.MessageIDs, m.ID)
	}
	info := &wire.SessionInfo{InfoType: wire.InfoMessagesDropped, Message: why}
	if err := q.s.log.Record("", wire.WithJSON(info, wire.FieldDropped, d)); err != nil {
		return err
	}
	for _, id := range d.MessageIDs {
		delete(q.headers, id)
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	return nil
}

func (q *Queue) holds(id string) bool {
	return slices.ContainsFunc(q.s.state.Queue, func(m state.Queued) bool { return m.ID == id })
}
