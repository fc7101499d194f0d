package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
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
	return q.s.do(ctx, func() error {
		if paused && q.paused {
			return fault.New(fault.Conflict, "session.queue.setDrainPaused", q.s.id, "queue_already_paused: the queue is paused already")
		}
		if q.paused = paused; paused {
			return nil
		}
		interrupted := q.s.state.Hold.Interrupted && q.s.run == nil
		if err := q.release(); err != nil {
			return err
		}
		if interrupted {
			q.s.launch(message{}, "")
			return nil
		}
		q.drain()
		return nil
	})
}

// Retry continues the last run, which has failed, was aborted, or was cut off by the end of its process. Its
// message is not recorded a second time. A hold ends, and what waits is sent after the run.
// [fault.Conflict] while a run is under way, and if the last run has ended well. [fault.Denied] if a Copilot
// Extensions agent was to answer: it may have acted, so only a message of the user asks it again.
func (q *Queue) Retry(ctx context.Context) error {
	const op = "session.queue.retry"
	return q.s.change(ctx, func() error {
		choice := choiceOf(q.s)
		switch {
		case q.s.run != nil || q.held > 0:
			return fault.New(fault.Conflict, op, "", "the agent is at work; only a run that has failed or was interrupted can be retried")
		case !q.s.state.Hold.Interrupted && !q.s.state.Main.Broken:
			return fault.New(fault.Conflict, op, "", "there is nothing to retry: the last run has not failed, and nobody has interrupted it")
		case choice.ExtensionOf() != "":
			return fault.New(fault.Denied, op, "", "the agent that answers here may have acted before the run ended, so it is not asked again by itself; send the message again")
		}
		if err := q.release(); err != nil {
			return err
		}
		q.stopped = false
		q.s.launch(message{}, "")
		return nil
	})
}

// release ends a hold.
func (q *Queue) release() error {
	if q.s.state.Hold == (wire.QueueHold{}) {
		return nil
	}
	why := "The held messages are sent."
	if !q.s.state.Hold.Held {
		why = "The interrupted run is no longer held."
	}
	return q.hold(wire.QueueHold{}, why)
}

// hold records what is held.
func (q *Queue) hold(h wire.QueueHold, why string) error {
	if err := q.s.log.Record("", state.HoldEvent(h, why)); err != nil {
		return err
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	return nil
}

// holdToo puts a message that no user has sent behind those that are held.
func (q *Queue) holdToo(m message) error {
	if err := q.room(m.Queued); err != nil {
		return err
	}
	m.Send.Traceparent = cmp.Or(m.Send.Traceparent, q.s.config.traceparent)
	h := q.s.state.Hold
	h.Held = true
	const why = "The scheduled prompt waits with what is held."
	if err := q.s.log.Record("", m.Event(why), state.HoldEvent(h, why)); err != nil {
		return err
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	return nil
}

// holdFailed holds a run that has failed, and what waits behind it, in a session of a user: the user
// wrote the queued messages in the expectation that the run would succeed. The run continues without its message being
// recorded a second time.
func (q *Queue) holdFailed(r *run) {
	if q.s.state.Hold.Held || r.command != "" || r.slash != "" || r.main.endpoint.IsExtension() {
		return // an agent may have acted, and its message is sent again by the user alone
	}
	h, why := wire.QueueHold{Held: len(q.s.state.Queue) > 0, Interrupted: true}, "The run has failed. It is held."
	if h.Held {
		why = "The run has failed. It is held, and so are the queued messages."
	}
	if err := cmp.Or(q.unsteer(), q.hold(h, why)); err != nil {
		q.s.logs.Warn("a failed run was not held", "err", err)
	}
}

// goOnWith ends a hold with a message that comes before those that wait.
func (q *Queue) goOnWith(m message) error {
	if err := q.insert(0, m); err != nil {
		return err
	}
	return q.goOn()
}

// goOnWithItem ends a hold with an item of the queue.
func (q *Queue) goOnWithItem(id string) error {
	items := q.items()
	if at := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id }); at > 0 {
		first := items[at]
		if err := q.rearrange(slices.Insert(slices.Delete(items, at, at+1), 0, first)); err != nil {
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
	q.drain()
	return nil
}

// Interruption is what an interrupted run leaves of the queue.
type Interruption uint8

// The interruptions.
const (
	DropQueue Interruption = iota // as [Session.Abort]
	SendQueue                     // what waits is sent next
	HoldQueue                     // what waits is held, also what was to steer the run
)

// InterruptRun aborts the run of the main agent. It reports whether a run was under way, also with an
// error: then the run was stopped, but the log does not have what becomes of the queue.
func (q *Queue) InterruptRun(ctx context.Context, how Interruption) (interrupted bool, err error) {
	return mailbox.Ask(ctx, q.s.do, func() (bool, error) {
		if q.s.run == nil || !q.s.run.stop() {
			return false, nil
		}
		abort := q.s.run.abort("user_initiated")
		events := append([]wire.Data{abort}, q.kept(how)...)
		if len(q.s.state.Queue) > 0 && how != SendQueue {
			q.s.log.Notify("", &wire.PendingMessages{})
		}
		if how == DropQueue {
			q.headers = nil
		}
		err := q.s.log.Record("", events...)
		if err == nil {
			return true, nil
		}
		q.s.log.RecordOrEmit("", abort) // which drops what waits
		return true, fault.New(fault.KindOf(err), "session.interruptMainTurn", q.s.id, "the run was stopped, but the log does not say what becomes of the waiting messages: %w", err)
	})
}

// kept are the events after an abort that keep what waits.
func (q *Queue) kept(how Interruption) (events []wire.Data) {
	if how == DropQueue || len(q.s.state.Queue) == 0 {
		return nil
	}
	held := how == HoldQueue || q.s.state.Hold.Held
	waiting := q.s.state.Queue
	if held {
		waiting = steeringFirst(waiting)
	}
	for _, m := range waiting {
		if !held {
			events = append(events, m.Event("The message is sent next."))
			continue
		}
		m.Send.Mode = ""
		events = append(events, m.Event("The run was interrupted."))
	}
	if held {
		events = append(events, state.HoldEvent(wire.QueueHold{Held: true}, "The run was interrupted. The queued messages are held."))
	}
	return events
}

// steeringFirst is a queue with the messages that were to steer the run before the others.
func steeringFirst(queue []state.Queued) []state.Queued {
	queue = slices.Clone(queue)
	slices.SortStableFunc(queue, func(a, b state.Queued) int {
		switch steers := a.Steers(); {
		case steers == b.Steers():
			return 0
		case steers:
			return -1
		}
		return 1
	})
	return queue
}

// unsteer has messages that were to steer a run wait, too, before the others.
func (q *Queue) unsteer() error {
	var events []wire.Data
	waiting := steeringFirst(q.s.state.Queue)
	for _, m := range waiting {
		if m.Steers() {
			m.Send.Mode = ""
			events = append(events, m.Event("The run was interrupted."))
		}
	}
	if events == nil {
		return nil
	}
	return q.s.log.Record("", append(events, state.OrderEvent(waiting))...)
}

// asksAgain reports whether a call that a process left open waits for the user or for a client, who
// is asked again.
func asksAgain(t *state.Thread) bool {
	return slices.ContainsFunc(t.Open(), func(c state.Call) bool {
		does := fact.Of(c.Name).Does
		return t.OpenExtension() != "" || t.Waits(c.ID) || does == fact.Ask || does == fact.Plan
	})
}

// reopenHold holds what a process has left, or ends the hold of a session whose client continues
// it.
func (q *Queue) reopenHold(w pendingWork) error {
	if goesOn := w.continued && !w.held && (w.interrupted || q.s.config.resumed || len(q.s.state.Queue) > 0); !goesOn {
		if err := q.s.Settings().leaveAutopilot(w.held || !w.own); err != nil {
			return err
		}
	}
	if !w.own || !w.continued || !w.held {
		return q.release()
	}
	if err := q.unsteer(); err != nil {
		return err
	}
	was := q.s.state.Hold
	h := wire.QueueHold{Held: len(q.s.state.Queue) > 0, Interrupted: w.interrupted || was.Interrupted}
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
