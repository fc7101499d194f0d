package queue

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

// Insert puts a message into the queue, at a position among its items, and returns its id
// there. A position outside of the queue means its nearer end. In an idle session whose queue
// is not paused the message is sent at once.
func (q *Queue) Insert(ctx context.Context, p wire.Send, position int64) (id string, err error) {
	const op = "session.queue.insertAt"
	p.Mode = ""
	m := Message{Queued: state.Queued{ID: wire.NewID(), Send: p}}
	if err := m.Valid(op, q.id); err != nil {
		return "", err
	}
	if p.Source == "system" {
		return "", fault.New(fault.Invalid, op, q.id, `source is "system", which a message in the queue cannot have`)
	}
	return m.ID, q.session.Change(ctx, func() error {
		if err := q.line.room(m.Queued); err != nil {
			return err
		}
		q.stopped = false
		if err := q.line.insert(position, m); err != nil {
			return err
		}
		q.Drain()
		return nil
	})
}

// Move moves an item to another position. It reports whether that changed the queue.
func (q *Queue) Move(ctx context.Context, id string, to int64) (changed bool, err error) {
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		items := q.line.items()
		from := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id })
		if from < 0 {
			return false, q.line.notThere("session.queue.moveItem", id)
		}
		at := within(to, len(items)-1)
		if at == from {
			return false, nil
		}
		moved := items[from]
		return unless(q.line.rearrange(slices.Insert(slices.Delete(items, from, from+1), at, moved)))
	})
}

// Remove removes an item. It reports false if there is none of that id.
func (q *Queue) Remove(ctx context.Context, id string) (removed bool, err error) {
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		item := q.line.item(id)
		if len(item) == 0 || item[0].Steers() {
			return false, nil
		}
		return unless(q.line.unqueue("session.queue.removeAt", item...))
	})
}

// unless reports that something has changed, unless there is an error.
func unless(err error) (changed bool, _ error) { return err == nil, err }

// Edit changes the prompt of a message. shown is the text for users; if it is nil, users see
// the prompt. Edit reports whether a text has changed.
func (q *Queue) Edit(ctx context.Context, id, prompt string, shown *string) (changed bool, err error) {
	const op = "session.queue.updateText"
	if prompt == "" {
		return false, fault.New(fault.Invalid, op, q.id, "the prompt is empty")
	}
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		item := q.line.item(id)
		switch {
		case len(item) == 0 || item[0].Steers():
			return false, q.line.notThere(op, id)
		case item[0].Command || len(item) > 1:
			return false, fault.New(fault.Invalid, op, q.id, "only a message that was sent alone can be edited")
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
		if err := q.line.room(m); err != nil {
			return false, err
		}
		return unless(q.line.replace(m, "A queued message was edited."))
	})
}

// Duplicate puts a copy of an item behind it, and returns the id of the copy.
func (q *Queue) Duplicate(ctx context.Context, id string) (copied string, err error) {
	return mailbox.Ask(ctx, q.session.Change, func() (string, error) {
		items := q.line.items()
		at := slices.IndexFunc(items, func(item []state.Queued) bool { return item[0].Item() == id })
		if at < 0 {
			return "", q.line.notThere("session.queue.duplicateAt", id)
		}
		var copies []Message
		for _, m := range items[at] {
			q.line.headers.give(&m)
			m.ID = wire.NewID()
			copies = append(copies, Message{Queued: m})
		}
		if err := q.line.room(queued(copies)...); err != nil {
			return "", err
		}
		last := copies[len(copies)-1].ID
		for i := range copies {
			if copies[i].Batch != "" {
				copies[i].Batch = last
			}
		}
		return last, q.line.insert(int64(at+1), copies...)
	})
}

// HandOver sends what is queued now: to the run in progress, or as the next run, also if a client has
// paused the queue. A run that was interrupted when a process ended continues. A command, also one of the shell,
// is a run of its own, so during a run it stays, and so does what waits behind it.
func (q *Queue) HandOver(ctx context.Context) error {
	waiting, err := q.Pending(ctx)
	if err != nil {
		return err
	}
	if waiting.Held || waiting.Interrupted {
		return q.Pause(ctx, false)
	}
	for i, item := range waiting.Items {
		steered := false
		if !wire.RunsAlone(item) {
			steered, err = q.SendNow(ctx, item.ID)
		}
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
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		item, run := q.line.item(id), q.session.Run()
		switch {
		case len(item) == 0 || item[0].Steers():
			return false, q.line.notThere(op, id)
		case item[0].Command || item[0].Send.AgentMode == state.ModeShell:
			return false, fault.New(fault.Invalid, op, q.id, "a command cannot be sent during a run: it is carried out after the run; to carry it out now, interrupt the run")
		case run == nil && q.session.State().Hold.Held:
			return unless(q.goOnWithItem(id))
		case run == nil || !run.Steerable() || run.First() == id:
			return false, nil
		}
		for _, m := range item {
			m.Batch, m.Send.Mode = "", "immediate"
			if err := q.line.replace(m, "The message is sent with the next model call."); err != nil {
				return false, err
			}
		}
		return unless(q.session.WithdrawPersonal())
	})
}

// Append adds to a message that waits to steer the run, if it still waits and its text is
// expected. It reports whether it did.
func (q *Queue) Append(ctx context.Context, p wire.QueueAppend) (updated bool, err error) {
	const op = "session.queue.appendSteering"
	added := Message{Queued: state.Queued{Send: wire.Send{Prompt: p.Prompt, Attachments: p.Attachments, AgentMode: p.AgentMode}}}
	if err := added.Valid(op, q.id); err != nil {
		return false, err
	}
	return mailbox.Ask(ctx, q.session.Change, func() (bool, error) {
		i := slices.IndexFunc(q.line.waiting(), func(m state.Queued) bool { return m.ID == p.MessageID })
		if i < 0 || !q.line.waiting()[i].Steers() || q.line.waiting()[i].Send.Prompt != p.ExpectedPrompt {
			return false, nil
		}
		m := q.line.waiting()[i]
		shown := m.Shown()
		if m.Send.DisplayPrompt != "" || p.DisplayPrompt != "" {
			m.Send.DisplayPrompt = joined(shown, (&state.Queued{Send: wire.Send{Prompt: p.Prompt, DisplayPrompt: p.DisplayPrompt}}).Shown())
		}
		m.Send.Prompt = joined(m.Send.Prompt, p.Prompt)
		if p.AgentMode != "" {
			m.Send.AgentMode = p.AgentMode
		}
		m.Send.Attachments = joinedLists(m.Send.Attachments, added.Send.Attachments)
		if err := q.line.room(m); err != nil {
			return false, err
		}
		return unless(q.line.replace(m, "The message was added to; it is sent with the next model call."))
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
