// Package queue has the messages of a session between their acceptance and their run, and the
// prompts that a session sends to itself at set times. What waits is in the log, and its state is
// that of the session ([state.State]); a message that need not wait passes through.
//
// Begin with [New]. [Queue.Send] and [Queue.SendAll] accept messages of clients, which may then
// edit the queue, pause and hold it. A run takes the message that it begins with, and those that
// steer it, with [Queue.Record]; when it has ended, [Queue.StartNext] starts the next one. [Queue.Schedule]
// has the prompts that are sent later.
//
// # What always holds
//
//   - A message whose id a client has is in the log: as one that waits, as part of the
//     conversation, or as removed.
//   - What waits reaches the model once, also over the end of the process; a process that opens
//     the session records it, or holds it, without starting a run, unless its client continues.
//   - The headers of messages may be credentials. They stay in memory, until the message is sent.
//
// # To change something
//
// [state.Queued] is what the log keeps of a message that waits. A message is changed by recording it
// once more, in its place, so a new property of it needs no new event. What a run reads of it is
// [Message], whose events are made when it becomes part of the conversation.
//
// A scheduled prompt has its times from package schedule. An entry in the log of another machine is
// removed, because a log alone makes nothing run.
package queue

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Queue is the accepted messages that have not been sent to the model, and the slash commands
// that have not run, as clients read and change them. The methods that take a context are safe for
// concurrent use and are not called on the session's goroutine; they return as
// [mailbox.Goroutine] describes. The others are called on that goroutine, or while the session is
// opened, unless they say otherwise.
type Queue struct {
	session  Session
	id       string // of the session
	logs     *slog.Logger
	schedule Schedule

	line    line
	paused  bool // by a client: what does not steer a run waits
	stopped bool // by the answer to a queued command: the same, until the next message or command
	held    int  // commands of clients that change what a run has left: nothing begins until they have ended
}

// New returns the queue of a session; id is that of the session.
func New(session Session, id string, logs *slog.Logger) *Queue {
	q := &Queue{session: session, id: id, logs: logs, line: line{session: session, id: id}}
	q.schedule.q = q
	return q
}

// Schedule returns the prompts that the session sends to itself.
func (q *Queue) Schedule() *Schedule { return &q.schedule }

// keep keeps a message until the run ends, or, if it is to steer the run, until the
// run's next turn.
func (q *Queue) keep(m Message) error {
	why := "The message waits for the answer before it."
	switch {
	case q.waits(&m.Queued):
		why = "The queue is paused."
	case q.session.Run() == nil:
		why = "The message is being prepared."
	case m.Command:
		why = "The command waits for the answer before it."
	case q.session.HasPersonal():
		why = "The message is sent instead of a yes or a no."
	case m.Steers():
		why = "The message is sent with the next model call."
	}
	return q.line.add(m, why)
}

// Steers reports whether a message waits that is to reach the model with the next call.
func (q *Queue) Steers() bool { return q.line.steers() }

// StartNext starts a run for the first message that waits; one that was to steer the run
// that has ended comes before the others. It reports false if no message waits, or the queue
// is paused.
func (q *Queue) StartNext() bool {
	m, ok := q.ready()
	if !ok {
		return false
	}
	q.line.headers.give(&m.Queued)
	q.session.Launch(m, "queued")
	return true
}

// Ready reports whether StartNext would start a run.
func (q *Queue) Ready() bool { _, ok := q.ready(); return ok }

// ready returns the message that StartNext sends.
func (q *Queue) ready() (m Message, ok bool) {
	queue := q.line.waiting()
	if len(queue) == 0 {
		return m, false
	}
	m = Message{Queued: queue[max(slices.IndexFunc(queue, func(m state.Queued) bool { return m.Steers() }), 0)]}
	return m, !q.waits(&m.Queued)
}

// waits reports whether a message has to wait although no run is under way.
func (q *Queue) waits(m *state.Queued) bool {
	return q.held > 0 || (q.paused || q.stopped || q.session.State().Hold.Held) && !m.Steers()
}

// Drain starts the next run if the session is idle.
func (q *Queue) Drain() {
	q.session.Wake() // a run that waits for sub-agents ends for it
	if q.session.Run() == nil && !q.session.Closing() {
		q.StartNext()
	}
}

// Block has nothing begin until Free. It reports false, and does nothing, if something else has done
// so.
func (q *Queue) Block() bool {
	if q.held > 0 {
		return false
	}
	q.held++
	return true
}

// Free ends what Block has begun, and starts the next run if the session is idle.
func (q *Queue) Free() {
	q.held--
	q.Drain()
}

// Pending returns the messages and commands that wait for the run to end, the next one first,
// and the texts of those that are to steer it.
func (q *Queue) Pending(ctx context.Context) (wire.QueueListed, error) {
	return mailbox.Ask(ctx, q.session.Do, func() (p wire.QueueListed, _ error) {
		if run := q.session.Run(); q.unanswered(run) {
			p.WithdrawableTurnMessageID = run.Begins()
		}
		for _, m := range q.line.waiting() {
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
		p.Held, p.Interrupted = q.session.State().Hold.Held, q.session.State().Hold.Interrupted
		return p, nil
	})
}

// RemoveLast removes the message that came last from the queue; it reports false
// if none waits. A removed message stays removed after a crash.
func (q *Queue) RemoveLast(ctx context.Context) (removed bool, err error) {
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		if len(q.line.waiting()) == 0 {
			return false, nil
		}
		return unless(q.line.unqueue("session.queue.removeMostRecent", q.line.item(q.line.waiting()[len(q.line.waiting())-1].Item())...))
	})
}

// Clear removes all messages from the queue.
func (q *Queue) Clear(ctx context.Context) error {
	return q.session.Change(ctx, func() error {
		if len(q.line.waiting()) == 0 {
			return nil
		}
		return q.line.unqueue("session.queue.clear", q.line.waiting()...)
	})
}

// Slash commands wait in the queue like messages, and each is a run of its own. Package command
// carries them out, and calls the methods below.

// Enqueue takes a slash command, whose id its sender gets. In an idle session in which nothing waits
// it begins at once, without becoming part of the queue.
func (q *Queue) Enqueue(c state.Queued) error {
	if err := q.line.room(c); err != nil {
		return err
	}
	q.stopped = false
	if q.session.Run() == nil && len(q.line.waiting()) == 0 && !q.waits(&c) {
		q.session.Notify("", &wire.PendingMessages{})
		c.ID = "" // it never waits
		q.session.Launch(Message{Queued: c}, "")
		return nil
	}
	if err := q.keep(Message{Queued: c}); err != nil {
		return err
	}
	q.Drain()
	return nil
}

// Begin removes a slash command from the queue because its run begins. It reports false if the
// command is not there any more.
func (q *Queue) Begin(id string) (there bool, err error) {
	i := slices.IndexFunc(q.line.waiting(), func(m state.Queued) bool { return m.ID == id })
	if i < 0 {
		return false, nil
	}
	return true, q.line.remove("", "A waiting command began.", q.line.waiting()[i])
}

// Next puts a message before all others that wait, except for those that steer the run.
func (q *Queue) Next(m state.Queued) error { return q.line.insert(0, Message{Queued: m}) }

// Stop has what does not steer the run wait until the next message or command comes.
func (q *Queue) Stop() { q.stopped = true }
