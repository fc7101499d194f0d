package session

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The operations of clients on a single item of the queue. An item is a message, several messages
// that were sent together, or a slash command; it keeps its id until it leaves the queue.
// Messages that are to steer the run are not items.

// items are the items of the queue, in their order.
func (q *Queue) items() (items [][]state.Queued) {
	for _, m := range q.s.state.Queue {
		if m.Steers() {
			continue
		}
		i := slices.IndexFunc(items, func(known []state.Queued) bool { return known[0].Item() == m.Item() })
		if i < 0 {
			items = append(items, nil)
			i = len(items) - 1
		}
		items[i] = append(items[i], m)
	}
	return items
}

// item returns the messages of the item with that id, or the message with mode "immediate" that
// has it; nil if there is none.
func (q *Queue) item(id string) []state.Queued {
	return slices.DeleteFunc(slices.Clone(q.s.state.Queue), func(m state.Queued) bool { return m.Item() != id })
}

// arranged are the messages of items behind those that steer, as the order of the queue.
func (q *Queue) arranged(items [][]state.Queued) []state.Queued {
	steering := slices.DeleteFunc(slices.Clone(q.s.state.Queue), func(m state.Queued) bool { return !m.Steers() })
	return append(steering, slices.Concat(items...)...)
}

// insert records the messages of one item at a position among the items. A position outside of
// the queue means its nearer end.
func (q *Queue) insert(position int64, messages ...message) error {
	items := q.items()
	var fresh []state.Queued
	var events []wire.Data
	for _, m := range messages {
		fresh = append(fresh, m.Queued)
		events = append(events, m.Event("The message was put into the queue."))
	}
	at := within(position, len(items))
	if at < len(items) {
		events = append(events, state.OrderEvent(q.arranged(slices.Insert(items, at, fresh))))
	}
	if err := q.s.log.Record("", events...); err != nil {
		return err
	}
	for _, m := range messages {
		q.keepHeaders(m)
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	q.s.agents.Wake()
	return nil
}

// within is the position itself, or the end of n that is nearest to it.
func within(position int64, n int) int { return int(min(max(position, 0), int64(n))) }

// notThere is the error for an id that no item of the queue has.
func (q *Queue) notThere(op, id string) error {
	return fault.New(fault.NotFound, op, q.s.id, "no item of the queue has the id %s; it may have begun already", fault.Bounded(id))
}

// Insert puts a message into the queue, at a position among its items, and returns its id
// there. A position outside of the queue means its nearer end. In an idle session whose queue
// is not paused the message is sent at once.
func (q *Queue) Insert(ctx context.Context, p wire.Send, position int64) (id string, err error) {
	const op = "session.queue.insertAt"
	p.Mode = ""
	m := message{Queued: state.Queued{ID: wire.NewID(), Send: p}}
	if err := m.Valid(op, q.s.id); err != nil {
		return "", err
	}
	if p.Source == "system" {
		return "", fault.New(fault.Invalid, op, q.s.id, `source is "system", which a message in the queue cannot have`)
	}
	return m.ID, q.s.change(ctx, func() error {
		if err := q.room(m.Queued); err != nil {
			return err
		}
		q.stopped = false
		if err := q.insert(position, m); err != nil {
			return err
		}
		q.drain()
		return nil
	})
}

// Move moves an item to another position. It reports whether that changed the queue.
func (q *Queue) Move(ctx context.Context, id string, to int64) (changed bool, err error) {
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		items := q.items()
		from := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id })
		if from < 0 {
			return false, q.notThere("session.queue.moveItem", id)
		}
		at := within(to, len(items)-1)
		if at == from {
			return false, nil
		}
		moved := items[from]
		return true, q.rearrange(slices.Insert(slices.Delete(items, from, from+1), at, moved))
	})
}

func (q *Queue) rearrange(items [][]state.Queued) error {
	if err := q.s.log.Record("", state.OrderEvent(q.arranged(items))); err != nil {
		return err
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	return nil
}

// Remove removes an item. It reports false if there is none of that id.
func (q *Queue) Remove(ctx context.Context, id string) (removed bool, err error) {
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		item := q.item(id)
		if len(item) == 0 || item[0].Steers() {
			return false, nil
		}
		return true, q.unqueue(item...)
	})
}

// Edit changes the prompt of a message. shown is the text for users; if it is nil, users see
// the prompt. Edit reports whether a text has changed.
func (q *Queue) Edit(ctx context.Context, id, prompt string, shown *string) (changed bool, err error) {
	const op = "session.queue.updateText"
	if prompt == "" {
		return false, fault.New(fault.Invalid, op, q.s.id, "the prompt is empty")
	}
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		item := q.item(id)
		switch {
		case len(item) == 0 || item[0].Steers():
			return false, q.notThere(op, id)
		case item[0].Command || len(item) > 1:
			return false, fault.New(fault.Invalid, op, q.s.id, "only a message that was sent alone can be edited")
		}
		m := item[0]
		display := ""
		if shown != nil {
			display = *shown
		}
		if m.Send.Prompt == prompt && m.Send.DisplayPrompt == display {
			return false, nil
		}
		m.Send.Prompt, m.Send.DisplayPrompt = prompt, display
		if err := q.room(m); err != nil {
			return false, err
		}
		return true, q.replace(m, "A queued message was edited.")
	})
}

// replace records a message of the queue anew, in its place.
func (q *Queue) replace(m state.Queued, why string) error {
	if err := q.s.log.Record("", m.Event(why)); err != nil {
		return err
	}
	q.s.log.Notify("", &wire.PendingMessages{})
	q.s.agents.Wake()
	return nil
}

// Duplicate puts a copy of an item behind it, and returns the id of the copy.
func (q *Queue) Duplicate(ctx context.Context, id string) (copied string, err error) {
	return mailbox.Ask(ctx, q.s.change, func() (string, error) {
		items := q.items()
		at := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id })
		if at < 0 {
			return "", q.notThere("session.queue.duplicateAt", id)
		}
		var copies []message
		for _, m := range items[at] {
			q.withHeaders(&m)
			m.ID = wire.NewID()
			copies = append(copies, message{Queued: m})
		}
		if err := q.room(queued(copies)...); err != nil {
			return "", err
		}
		last := copies[len(copies)-1].ID
		for i := range copies {
			if copies[i].Batch != "" {
				copies[i].Batch = last
			}
		}
		return last, q.insert(int64(at+1), copies...)
	})
}

// HandOver sends what is queued now: to the run in progress, or as the next run, also if a client has
// paused the queue. A run that was interrupted when a process ended continues. What waits behind a
// command stays: it waits for the command.
func (q *Queue) HandOver(ctx context.Context) error {
	waiting, err := q.Pending(ctx)
	if err != nil {
		return err
	}
	if waiting.Held || waiting.Interrupted {
		return q.Pause(ctx, false)
	}
	for i, item := range waiting.Items {
		if item.Kind == "command" {
			return nil
		}
		steered, err := q.SendNow(ctx, item.ID)
		if err == nil && !steered && i == 0 {
			err = q.Pause(ctx, false)
		}
		if err != nil || !steered {
			return err
		}
	}
	return nil
}

// SendNow adds a queued message to the run in progress: the model gets it with its next call.
// In an idle session whose queue is held, the queue goes on with it. SendNow reports false if no run
// with a model is in progress.
func (q *Queue) SendNow(ctx context.Context, id string) (steered bool, err error) {
	const op = "session.queue.sendNow"
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		item := q.item(id)
		switch {
		case len(item) == 0 || item[0].Steers():
			return false, q.notThere(op, id)
		case item[0].Command || item[0].Send.AgentMode == state.ModeShell:
			return false, fault.New(fault.Invalid, op, q.s.id, "a command cannot be sent during a run: it is carried out after the run; to carry it out now, interrupt the run")
		case q.s.run == nil && q.s.state.Hold.Held:
			return true, q.goOnWithItem(id)
		case q.s.run == nil || q.s.run.slash != "" || q.s.run.command != "" || q.s.run.stopped() || q.s.run.first == id:
			return false, nil
		}
		for _, m := range item {
			m.Batch, m.Send.Mode = "", "immediate"
			if err := q.replace(m, "The message is sent with the next model call."); err != nil {
				return false, err
			}
		}
		return true, q.s.requests.WithdrawPersonal()
	})
}

// Append adds to a message that waits to steer the run, if it still waits and its text is
// expected. It reports whether it did.
func (q *Queue) Append(ctx context.Context, p wire.QueueAppend) (updated bool, err error) {
	const op = "session.queue.appendSteering"
	added := message{Queued: state.Queued{Send: wire.Send{Prompt: p.Prompt, Attachments: p.Attachments, AgentMode: p.AgentMode}}}
	if err := added.Valid(op, q.s.id); err != nil {
		return false, err
	}
	return mailbox.Ask(ctx, q.s.change, func() (bool, error) {
		i := slices.IndexFunc(q.s.state.Queue, func(m state.Queued) bool { return m.ID == p.MessageID })
		if i < 0 || !q.s.state.Queue[i].Steers() || q.s.state.Queue[i].Send.Prompt != p.ExpectedPrompt {
			return false, nil
		}
		m := q.s.state.Queue[i]
		shown := m.Shown()
		if m.Send.DisplayPrompt != "" || p.DisplayPrompt != "" {
			m.Send.DisplayPrompt = joined(shown, (&state.Queued{Send: wire.Send{Prompt: p.Prompt, DisplayPrompt: p.DisplayPrompt}}).Shown())
		}
		m.Send.Prompt = joined(m.Send.Prompt, p.Prompt)
		if p.AgentMode != "" {
			m.Send.AgentMode = p.AgentMode
		}
		m.Send.Attachments = joinedLists(m.Send.Attachments, added.Send.Attachments)
		if err := q.room(m); err != nil {
			return false, err
		}
		return true, q.replace(m, "The message was added to; it is sent with the next model call.")
	})
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// joinedLists joins two JSON lists of objects, either of which may be absent.
func joinedLists(a, b json.RawMessage) json.RawMessage {
	var first, second []json.RawMessage
	if json.Unmarshal(a, &first) != nil {
		return b
	}
	if json.Unmarshal(b, &second) != nil {
		return a
	}
	list, err := json.Marshal(append(first, second...))
	if err != nil {
		return a
	}
	return list
}
