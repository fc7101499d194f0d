package queue

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Two things stop the queue: a pause of a client, which ends with the process, and a hold of the
// user, which is in the log. A hold ends with the next message of a user, or when a client lets the
// queue continue.

// Pause stops the queue, except for messages with mode "immediate", until it is called with
// false. The pause is not recorded: it ends when the session leaves memory. Called with false, it
// also ends a hold: a run that was interrupted continues, then the queued messages are sent.
// [fault.Conflict] if the queue is paused already.
func (q *Queue) Pause(ctx context.Context, paused bool) error {
	return q.session.Do(ctx, func() error {
		if paused && q.paused {
			return fault.New(fault.Conflict, "session.queue.setDrainPaused", q.id, "queue_already_paused: the queue is paused already")
		}
		if q.paused = paused; paused {
			return nil
		}
		interrupted := q.session.State().Hold.Interrupted && q.session.Run() == nil
		if err := q.release(); err != nil {
			return err
		}
		if interrupted {
			q.session.Launch(Message{}, "")
			return nil
		}
		q.Drain()
		return nil
	})
}

// Retry continues the last run, which has failed, was aborted, or was cut off by the end of its process. Its
// message is not recorded a second time. A hold ends, and what waits is sent after the run.
// [fault.Conflict] while a run is under way, and if the last run has ended well. [fault.Denied] if a Copilot
// Extensions agent was to answer: it may have acted, so only a message of the user asks it again.
func (q *Queue) Retry(ctx context.Context) error {
	const op = "session.queue.retry"
	return q.session.Change(ctx, func() error {
		switch {
		case q.session.Run() != nil || q.held > 0:
			return fault.New(fault.Conflict, op, "", "the agent is at work; only a run that has failed or was interrupted can be retried")
		case !q.session.State().Hold.Interrupted && !q.session.State().Main.Broken:
			return fault.New(fault.Conflict, op, "", "there is nothing to retry: the last run has not failed, and nobody has interrupted it")
		case q.session.AnsweredByAgent():
			return fault.New(fault.Denied, op, "", "the agent that answers here may have acted before the run ended, so it is not asked again by itself; send the message again")
		}
		if err := q.release(); err != nil {
			return err
		}
		q.stopped = false
		q.session.Launch(Message{}, "")
		return nil
	})
}

// release ends a hold.
func (q *Queue) release() error {
	if q.session.State().Hold == (wire.QueueHold{}) {
		return nil
	}
	why := "The held messages are sent."
	if !q.session.State().Hold.Held {
		why = "The interrupted run is no longer held."
	}
	return q.hold(wire.QueueHold{}, why)
}

// hold records what is held.
func (q *Queue) hold(h wire.QueueHold, why string) error {
	if err := q.session.Record("", state.HoldEvent(h, why)); err != nil {
		return err
	}
	q.session.Notify("", &wire.PendingMessages{})
	return nil
}

// holdToo puts a message that no user has sent behind those that are held.
func (q *Queue) holdToo(m Message) error {
	if err := q.line.room(m.Queued); err != nil {
		return err
	}
	m.Send.Traceparent = cmp.Or(m.Send.Traceparent, q.session.Traceparent())
	h := q.session.State().Hold
	h.Held = true
	const why = "The scheduled prompt waits with what is held."
	if err := q.session.Record("", m.Event(why), state.HoldEvent(h, why)); err != nil {
		return err
	}
	q.session.Notify("", &wire.PendingMessages{})
	return nil
}

// HoldFailed holds a run that has failed, and what waits behind it, in a session of a user: the user
// wrote the queued messages in the expectation that the run would succeed. The run continues without its message being
// recorded a second time.
func (q *Queue) HoldFailed() {
	if q.session.State().Hold.Held {
		return
	}
	h, why := wire.QueueHold{Held: len(q.line.waiting()) > 0, Interrupted: true}, "The run has failed. It is held."
	if h.Held {
		why = "The run has failed. It is held, and so are the queued messages."
	}
	err := q.line.unsteer()
	if err == nil {
		err = q.hold(h, why)
	}
	if err != nil {
		q.logs.Warn("a failed run was not held", "err", err)
	}
}

// HoldLost holds a run that another process has left, and what waits behind it, in a session of a user.
func (q *Queue) HoldLost() error {
	return q.reopenHold(Left{Own: true, Continued: true, Held: true, Interrupted: true})
}

// goOnWith ends a hold with a message that comes before those that wait.
func (q *Queue) goOnWith(m Message) error {
	if err := q.line.insert(0, m); err != nil {
		return err
	}
	return q.goOn()
}

// goOnWithItem ends a hold with an item of the queue.
func (q *Queue) goOnWithItem(id string) error {
	items := q.line.items()
	if at := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id }); at > 0 {
		first := items[at]
		if err := q.line.rearrange(slices.Insert(slices.Delete(items, at, at+1), 0, first)); err != nil {
			return err
		}
	}
	return q.goOn()
}

// goOn ends a hold, and sends what waits.
func (q *Queue) goOn() error {
	if err := q.release(); err != nil {
		return err
	}
	q.Drain()
	return nil
}

// Left is what the client that opens a session wants done with the work that the process before has
// left.
type Left struct {
	Own         bool // this machine knows the session
	Continued   bool // messages are sent as if the session had never stopped
	Held        bool // or rather when the user goes on
	Interrupted bool // a run was under way, and is closed
}

// Reopen decides what becomes of the messages and commands that wait in a log that is opened: those that
// no client continues become part of the conversation. It reads attachments, so it is called before
// the session's goroutine begins.
func (q *Queue) Reopen(w Left) error {
	if w.Continued {
		return q.dropCommands()
	}
	return q.flush(w.Own)
}

// ReopenHold holds what Reopen has left waiting, or ends the hold of a session whose client continues
// it. Then it decides what becomes of the schedule.
func (q *Queue) ReopenHold(w Left) error {
	if err := q.reopenHold(w); err != nil {
		return err
	}
	return q.schedule.reopen(w.Own)
}

// flush records all queued messages, and starts no run for them: a message that a
// process accepted before it died is not lost, and the model reads it with the next one.
// own says whether this machine knows the session; if not, the log could attach any file, so
// attachments are left out.
func (q *Queue) flush(own bool) error {
	if err := q.dropCommands(); err != nil {
		return err
	}
	for _, waiting := range slices.Clone(q.line.waiting()) {
		m := Message{Queued: waiting}
		if !own {
			m.Send.Attachments = nil
		}
		q.session.Prepare(&m)
		err := q.session.Record("", m.Events("queued", q.session.Attach(m.Send.Prompt, m))...)
		if fault.KindOf(err) == fault.Invalid && err != nil { // too long: it must not keep the session from being opened
			q.logs.Warn("a message that waited cannot be recorded", "message", m.ID, "err", err)
			err = q.line.unqueue("the next process", waiting)
		}
		if err == nil && m.Send.AgentMode == state.ModeShell { // the model reads that it was not run
			err = q.session.CloseOrphans()
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
	commands := slices.DeleteFunc(slices.Clone(q.line.waiting()), func(m state.Queued) bool { return !m.Command })
	if len(commands) == 0 {
		return nil
	}
	return q.line.remove("the end of its process", "The process ended before the waiting commands ran; they were removed.", commands...)
}

// reopenHold is ReopenHold without the schedule.
func (q *Queue) reopenHold(w Left) error {
	if !w.Own || !w.Continued || !w.Held {
		return q.release()
	}
	if err := q.line.unsteer(); err != nil {
		return err
	}
	was := q.session.State().Hold
	h := wire.QueueHold{Held: len(q.line.waiting()) > 0, Interrupted: w.Interrupted || was.Interrupted}
	switch {
	case h == was:
		return nil
	case h.Interrupted && h.Held:
		return q.hold(h, "The process ended while the agent worked. The run and the queued messages are held.")
	case h.Interrupted:
		return q.hold(h, "The process ended while the agent worked. The run is held.")
	}
	return q.hold(h, "The process ended before the queued messages were sent. They are held.")
}
