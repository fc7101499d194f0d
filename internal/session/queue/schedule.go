package queue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Schedule has the prompts that a session sends to itself at given times. The entries are in
// the log. Their prompts are sent only while the session is open and a client is attached;
// missed prompts are never sent later. At most one message of an entry waits in the queue. A
// session without entries has no timer.
type Schedule struct {
	q     *Queue
	timer *time.Timer         // for the first entry that is due; nil without any
	next  map[int64]time.Time // when each entry is due
}

// The types of the warnings about entries that were removed.
const (
	warningMissed     = "schedule_missed"
	warningForeign    = "schedule_without_effect"
	warningUnsendable = "schedule_failed"
)

// Add adds an entry to the schedule and returns it. [fault.Invalid] if its times cannot be
// computed, if it has no prompt, or if its time has passed; [fault.Unavailable] if there are
// too many entries.
func (d *Schedule) Add(ctx context.Context, e schedule.Entry) (added wire.ScheduleEntry, err error) {
	m := Message{Queued: state.Queued{Send: wire.Send{Prompt: e.Prompt}}}
	if err := m.Valid("session.schedule.add", d.q.id); err != nil {
		return added, err
	}
	return mailbox.Ask(ctx, d.q.session.Change, func() (wire.ScheduleEntry, error) {
		e.ID, e.Created = d.q.session.State().LastScheduled+1, time.Now()
		if err := e.Check(); err != nil {
			return added, err
		}
		if _, ok := e.Next(e.Created); !ok {
			return added, fault.New(fault.Invalid, "session.schedule.add", d.q.id, "the time is over already")
		}
		if len(d.q.session.State().Schedule) >= state.MaxScheduled {
			return added, fault.New(fault.Unavailable, "session.schedule.add", d.q.id, "the session has %d scheduled prompts already; remove one with session.schedule.stop", state.MaxScheduled)
		}
		if err := d.q.session.Record("", created(e)); err != nil {
			return added, err
		}
		d.arm()
		return shown(e, d.next[e.ID]), nil
	})
}

func created(e schedule.Entry) *wire.ScheduleCreated {
	origin := wire.ScheduleOrigin("user")
	return &wire.ScheduleCreated{
		ID: e.ID, Prompt: e.Prompt, DisplayPrompt: wire.Optional(e.Display), Recurring: &e.Recurring, Origin: &origin,
		IntervalMs: wire.Optional(e.Every.Milliseconds()), Cron: wire.Optional(e.Cron), Tz: wire.Optional(e.Zone), At: moment(e),
	}
}

// shown is an entry as clients see it.
func shown(e schedule.Entry, next time.Time) wire.ScheduleEntry {
	return wire.ScheduleEntry{
		ID: e.ID, Prompt: e.Prompt, DisplayPrompt: wire.Optional(e.Display), Recurring: e.Recurring, NextRunAt: next.UTC().Truncate(time.Millisecond),
		IntervalMs: wire.Optional(e.Every.Milliseconds()), Cron: wire.Optional(e.Cron), Tz: wire.Optional(e.Zone), At: moment(e),
	}
}

// moment is the time of an entry for a single moment in milliseconds since 1970; nil for others.
func moment(e schedule.Entry) *int64 {
	if e.At.IsZero() {
		return nil
	}
	ms := e.At.UnixMilli()
	return &ms
}

// List returns the entries in the order of their ids; never nil.
func (d *Schedule) List(ctx context.Context) ([]wire.ScheduleEntry, error) {
	return mailbox.Ask(ctx, d.q.session.Do, func() ([]wire.ScheduleEntry, error) {
		entries := []wire.ScheduleEntry{}
		for _, e := range d.q.session.State().Schedule {
			if next, ok := d.next[e.ID]; ok { // not an entry whose only run is being sent or was missed
				entries = append(entries, shown(e, next))
			}
		}
		return entries, nil
	})
}

// Stop removes an entry and returns it; nil if there is none with that id. A message of it
// that waits in the queue stays there.
func (d *Schedule) Stop(ctx context.Context, id int64) (*wire.ScheduleEntry, error) {
	return mailbox.Ask(ctx, d.q.session.Change, func() (*wire.ScheduleEntry, error) {
		e, ok := d.q.session.State().Scheduled(id)
		if !ok {
			return nil, nil
		}
		removed := shown(e, d.next[id])
		err := d.q.session.Record("", &wire.ScheduleCancelled{ID: id})
		d.arm()
		return &removed, err
	})
}

// reopen decides what becomes of the entries of a log that is opened: those of a session that
// this machine does not know are removed, because a log alone must not start runs, and so are
// entries whose only run was missed, or whose times cannot be computed here. A warning names each. It is called before the session's
// goroutine begins.
func (d *Schedule) reopen(own bool) error {
	now := time.Now()
	var removed []wire.Data
	for _, e := range d.q.session.State().Schedule {
		kind, why := warningMissed, "its time came while the session was not open"
		_, due := e.Next(now)
		switch err := e.Check(); {
		case err != nil:
			kind, why = warningUnsendable, fault.Message(err)
		case due:
			kind, why = warningForeign, "the log of this session was not written on this machine, and a log alone makes nothing run"
			if own {
				continue
			}
		}
		removed = append(removed, &wire.ScheduleCancelled{ID: e.ID}, removal(kind, e, why))
	}
	if len(removed) > 0 {
		if err := d.q.session.Record("", removed...); err != nil {
			return err
		}
	}
	d.arm()
	return nil
}

func removal(kind string, e schedule.Entry, why string) *wire.SessionWarning {
	return &wire.SessionWarning{WarningType: kind, Message: fmt.Sprintf("The scheduled prompt %d (%s) was removed: %s.", e.ID, fault.Bounded(e.Prompt), why)}
}

// arm computes when the next entry is due, and sets the timer. It is called on the session's
// goroutine whenever the entries may have changed.
func (d *Schedule) arm() {
	if len(d.q.session.State().Schedule) == 0 && d.timer == nil {
		return
	}
	now, first := time.Now(), time.Time{}
	next := make(map[int64]time.Time, len(d.q.session.State().Schedule))
	for _, e := range d.q.session.State().Schedule {
		at, known := d.next[e.ID]
		if !known {
			if at, known = e.Next(now); !known {
				continue
			}
		}
		next[e.ID] = at
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	d.next = next
	switch {
	case first.IsZero() && d.timer != nil:
		d.timer.Stop()
		d.timer = nil
	case first.IsZero():
	case d.timer == nil:
		d.timer = time.NewTimer(first.Sub(now))
	default:
		d.timer.Reset(first.Sub(now))
	}
}

// Due fires when an entry may be due; nil without entries.
func (d *Schedule) Due() <-chan time.Time {
	if d.timer == nil {
		return nil
	}
	return d.timer.C
}

// End stops the timer.
func (d *Schedule) End() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// Fire sends the prompts that are due. A session that is closing, or that has no attached
// client, sends nothing.
func (d *Schedule) Fire() {
	now := time.Now()
	for _, e := range d.q.session.State().Schedule {
		at, known := d.next[e.ID]
		if !known || at.After(now) {
			continue
		}
		delete(d.next, e.ID)
		if d.q.session.Attended() {
			d.q.session.Go("session.schedule", func() { d.send(e.ID, at) })
		}
	}
	d.arm()
}

// send sends the prompt of an entry that was due at a time. An entry whose prompt cannot be
// sent is removed if it runs only once.
func (d *Schedule) send(id int64, due time.Time) {
	ctx := context.Background() // every command ends with the session
	err := d.q.session.ReadHooks(ctx)
	if err == nil {
		err = d.q.session.Change(ctx, func() error { return d.sendNow(id, due) })
	}
	if err == nil || fault.KindOf(err) == fault.NotFound || fault.KindOf(err) == fault.Conflict { // closed, or another process has it
		return
	}
	_ = d.q.session.Change(ctx, func() error {
		e, ok := d.q.session.State().Scheduled(id)
		if !ok {
			return nil
		}
		if e.Recurring {
			return d.q.session.Record("", &wire.SessionWarning{WarningType: warningUnsendable, Message: fmt.Sprintf("The scheduled prompt %d was not sent: %s.", id, fault.Message(err))})
		}
		err := d.q.session.Record("", &wire.ScheduleCancelled{ID: id}, removal(warningUnsendable, e, "it could not be sent: "+fault.Message(err)))
		d.arm()
		return err
	})
}

// sendNow is send on the session's goroutine. It sends nothing if the entry was removed
// meanwhile, if another process has sent it, or if its last message still waits. While the user holds
// the queue, or an interrupted run, the prompt waits, too.
func (d *Schedule) sendNow(id int64, due time.Time) error {
	e, ok := d.q.session.State().Scheduled(id)
	source := state.ScheduledBy(id)
	waits := slices.ContainsFunc(d.q.line.waiting(), func(q state.Queued) bool { return q.Send.Source == source })
	if !ok || waits || !e.Ran.Before(due) {
		return nil
	}
	m := Message{Queued: state.Queued{ID: wire.NewID(), Send: wire.Send{Prompt: e.Prompt, DisplayPrompt: e.Display, Source: source}}}
	if d.q.session.State().Hold != (wire.QueueHold{}) { // the user alone ends a hold
		return d.q.holdToo(m)
	}
	_, err := d.q.accept(m, nil)
	return err
}
