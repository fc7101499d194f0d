package queue

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Interruption is what an interrupted run leaves of the queue.
type Interruption uint8

// The interruptions.
const (
	Drop Interruption = iota // as [Queue.Abort]
	Send                     // what waits is sent next
	Hold                     // what waits is held, also what was to steer the run
)

// InterruptRun aborts the run of the main agent. It reports whether a run was under way, also with an
// error: then the run was stopped, but the log does not have what becomes of the queue.
func (q *Queue) InterruptRun(ctx context.Context, how Interruption) (interrupted bool, err error) {
	return mailbox.Ask(ctx, q.session.Do, func() (bool, error) {
		run := q.session.Run()
		if run == nil || !run.Stop() {
			return false, nil
		}
		abort := run.Abort("user_initiated")
		events := append([]wire.Data{abort}, q.kept(how)...)
		if len(q.line.waiting()) > 0 && how != Send {
			q.session.Notify("", &wire.PendingMessages{})
		}
		defer q.dropped("session.interruptMainTurn", q.line.waiting())
		err := q.session.Record("", events...)
		if err == nil {
			return true, nil
		}
		q.session.RecordOrEmit("", abort) // which drops what waits
		return true, fault.New(fault.KindOf(err), "session.interruptMainTurn", q.id, "the run was stopped, but the log does not say what becomes of the waiting messages: %w", err)
	})
}

// dropped notes which of the messages that waited before an abort do not wait any more.
func (q *Queue) dropped(by string, before []state.Queued) {
	for _, m := range before {
		if !q.line.holds(m.ID) {
			q.line.left(m.ID, by)
		}
	}
}

// kept are the events after an abort that keep what waits.
func (q *Queue) kept(how Interruption) (events []wire.Data) {
	if how == Drop || len(q.line.waiting()) == 0 {
		return nil
	}
	held := how == Hold || q.session.State().Hold.Held
	waiting := q.line.waiting()
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

// Abort stops the run: the model call is canceled at once, open tool calls and
// questions end as interrupted, and what waits in the queue is dropped. An idle
// session has nothing to abort; that is no error. An error after the run was stopped means that the
// log cannot be written.
func (q *Queue) Abort(reason wire.AbortReason) error {
	run := q.session.Run()
	if run == nil || !run.Stop() {
		return nil
	}
	defer q.dropped("session.abort", q.line.waiting())
	if len(q.line.waiting()) > 0 {
		q.session.Notify("", &wire.PendingMessages{})
	}
	abort := run.Abort(reason)
	if err := q.session.Record("", abort); err != nil {
		q.session.Emit("", abort)
		return fault.New(fault.KindOf(err), "session.abort", q.id, "the run was stopped, but the log does not say so: %w", err)
	}
	return nil
}

// Withdraw takes a message back if its text is expected: one that waits, or the one that the
// run began with, as long as the model has not answered. Then the run is interrupted, and the
// message leaves the history. It reports what it did.
func (q *Queue) Withdraw(ctx context.Context, id, expected string) (done wire.QueueWithdrawn, err error) {
	type begun struct {
		removed bool
		ended   <-chan struct{} // the run that was interrupted; nil: none was
	}
	first, err := mailbox.Deliver(ctx, q.session.Change, func() (begun, error) {
		for _, m := range q.line.waiting() {
			if m.ID == id && !m.Command && m.Send.Prompt == expected {
				removed, err := unless(q.line.unqueue("session.queue.withdrawMessage", m))
				return begun{removed: removed}, err
			}
		}
		run := q.session.Run()
		if !q.unanswered(run) || run.Begins() != id || run.Prompt() != expected || !run.Stop() {
			return begun{}, nil
		}
		q.held++
		return begun{ended: run.Ended()}, nil
	}, func(b begun) {
		if b.ended != nil {
			q.Free()
		}
	})
	if first.ended == nil || err != nil {
		return wire.QueueWithdrawn{Removed: first.removed}, err
	}
	defer func() {
		_ = q.session.Post(context.Background(), func() error { q.Free(); return nil })
	}()
	select {
	case <-first.ended:
	case <-ctx.Done():
		return wire.QueueWithdrawn{Interrupted: true}, fault.New(fault.Unavailable, "session.queue.withdrawMessage", q.id, "the run has not ended yet: %w", ctx.Err())
	}
	removed, err := q.session.Unsend(ctx, id)
	return wire.QueueWithdrawn{Removed: removed && err == nil, Interrupted: true}, err
}

// unanswered reports whether a run is under way whose first message the model has not
// answered; run is nil when the session is idle.
func (q *Queue) unanswered(run Run) bool {
	if run == nil || run.Begins() == "" || run.First() != "" && len(q.line.item(run.First())) > 0 {
		return false
	}
	messages := q.session.State().Main.Messages
	return len(messages) > 0 && messages[len(messages)-1].FromUser
}
