package queue

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// line is the messages that wait, in their order. They are in the log, and so in the state. Their headers may be
// credentials and are kept here alone. Every change is recorded before it counts.
type line struct {
	session Session
	id      string // of the session
	headers headers
	awaited []*awaited
}

// awaited is a message whose sender waits for the end of its run.
type awaited struct {
	id   string
	run  <-chan struct{} // closed at the end of the run that the message was recorded for, or blocked in; nil: none yet
	gone chan struct{}   // closed when the message has left the queue
	by   string          // what has dropped it; "" for a run
}

// waiting are the messages that wait. The caller does not change the slice.
func (l *line) waiting() []state.Queued { return l.session.State().Queue }

// add records a message that has to wait; why is what the user reads. The sender was given its id.
func (l *line) add(m Message, why string) error {
	if err := l.session.Record("", m.Event(why)); err != nil {
		return err
	}
	l.headers.keep(&m.Queued)
	l.session.Notify("", &wire.PendingMessages{})
	l.session.Wake() // a run that waits for sub-agents ends for it
	return nil
}

// steers reports whether a message waits that is to reach the model with the next call.
func (l *line) steers() bool {
	return slices.ContainsFunc(l.waiting(), func(m state.Queued) bool { return m.Steers() })
}

// holds reports whether a message of that id waits.
func (l *line) holds(id string) bool {
	return slices.ContainsFunc(l.waiting(), func(m state.Queued) bool { return m.ID == id })
}

// maxQueue bounds the messages that wait for a run to end. No user types so many; a
// program that sends more gets an error.
const maxQueue = 1000

// maxQueueSize bounds their texts, attachments and headers, in bytes: each waits in memory. One photo of a telephone
// has some 5 MB, and as text a third more; a message that waits alone may be larger.
const maxQueueSize = 16 << 20

// room returns an error unless the queue takes these messages, too. One that has the id of a message of the queue
// takes its place. A queue that would otherwise be empty takes every message.
func (l *line) room(messages ...state.Queued) error {
	count, size := len(messages), 0
	for _, m := range messages {
		size += m.Size()
	}
	alone := true
	for _, m := range l.waiting() {
		if !slices.ContainsFunc(messages, func(fresh state.Queued) bool { return fresh.ID == m.ID }) {
			count, size, alone = count+1, size+m.Size(), false
		}
	}
	switch {
	case count > maxQueue:
		return fault.New(fault.Unavailable, "session.send", l.id, "%d messages are waiting already", maxQueue)
	case size > maxQueueSize && !alone:
		return fault.New(fault.Unavailable, "session.send", l.id, "the messages that wait would have %d bytes together, and can have %d; send this one when the run has ended, or remove others from the queue", size, maxQueueSize)
	}
	return nil
}

// items are the items of the queue, in their order.
func (l *line) items() (items [][]state.Queued) {
	for _, m := range l.waiting() {
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
func (l *line) item(id string) []state.Queued {
	return slices.DeleteFunc(slices.Clone(l.waiting()), func(m state.Queued) bool { return m.Item() != id })
}

// arranged are the messages of items behind those that steer, as the order of the queue.
func (l *line) arranged(items [][]state.Queued) []state.Queued {
	steering := slices.DeleteFunc(slices.Clone(l.waiting()), func(m state.Queued) bool { return !m.Steers() })
	return append(steering, slices.Concat(items...)...)
}

// insert records the messages of one item at a position among the items. A position outside of
// the queue means its nearer end.
func (l *line) insert(position int64, messages ...Message) error {
	items := l.items()
	var fresh []state.Queued
	var events []wire.Data
	for _, m := range messages {
		fresh = append(fresh, m.Queued)
		events = append(events, m.Event("The message was put into the queue."))
	}
	at := within(position, len(items))
	if at < len(items) {
		events = append(events, state.OrderEvent(l.arranged(slices.Insert(items, at, fresh))))
	}
	if err := l.session.Record("", events...); err != nil {
		return err
	}
	for _, m := range messages {
		l.headers.keep(&m.Queued)
	}
	l.session.Notify("", &wire.PendingMessages{})
	l.session.Wake()
	return nil
}

// within is the position itself, or the end of n that is nearest to it.
func within(position int64, n int) int { return int(min(max(position, 0), int64(n))) }

// notThere is the error for an id that no item of the queue has.
func (l *line) notThere(op, id string) error {
	return fault.New(fault.NotFound, op, l.id, "no item of the queue has the id %s; it may have begun already", fault.Bounded(id))
}

// rearrange records another order of the items.
func (l *line) rearrange(items [][]state.Queued) error {
	if err := l.session.Record("", state.OrderEvent(l.arranged(items))); err != nil {
		return err
	}
	l.session.Notify("", &wire.PendingMessages{})
	return nil
}

// replace records a message of the queue anew, in its place.
func (l *line) replace(m state.Queued, why string) error {
	if err := l.session.Record("", m.Event(why)); err != nil {
		return err
	}
	l.session.Notify("", &wire.PendingMessages{})
	l.session.Wake()
	return nil
}

// byHook drops messages that a hook has blocked. Their senders are told so when the run has ended that would have
// had them, because the events that say why come before.
const byHook = "a userPromptSubmitted hook"

// left notes that a message has left the queue: by has dropped it, or a run begins with it or reads it; then by
// is "".
func (l *line) left(id, by string) {
	l.headers.forget(id)
	l.awaited = slices.DeleteFunc(l.awaited, func(a *awaited) bool {
		if a.id != id {
			return false
		}
		if a.by = by; by == "" || by == byHook {
			a.run = l.session.Run().Ended()
		}
		close(a.gone)
		return true
	})
}

// unqueue removes queued messages for good; by is what does so, as the sender of one is told.
func (l *line) unqueue(by string, messages ...state.Queued) error {
	why := "A queued message was removed."
	if len(messages) > 1 {
		why = "The queued messages were removed."
	}
	return l.remove(by, why, messages...)
}

// remove is unqueue with what the user reads.
func (l *line) remove(by, why string, messages ...state.Queued) error {
	var d wire.DroppedMessages
	for _, m := range messages {
		d.MessageIDs = append(d.MessageIDs, m.ID)
	}
	info := &wire.SessionInfo{InfoType: wire.InfoMessagesDropped, Message: why}
	if err := l.session.Record("", wire.WithJSON(info, wire.FieldDropped, d)); err != nil {
		return err
	}
	for _, id := range d.MessageIDs {
		l.left(id, by)
	}
	l.session.Notify("", &wire.PendingMessages{})
	return nil
}

// unsteer has messages that were to steer a run wait, too, before the others.
func (l *line) unsteer() error {
	var events []wire.Data
	waiting := steeringFirst(l.waiting())
	for _, m := range waiting {
		if m.Steers() {
			m.Send.Mode = ""
			events = append(events, m.Event("The run was interrupted."))
		}
	}
	if events == nil {
		return nil
	}
	return l.session.Record("", append(events, state.OrderEvent(waiting))...)
}

// headers are those of the messages that wait, by id. They may be credentials and are never stored.
type headers map[string]sentHeaders

// sentHeaders are the headers of a message, and their owner.
type sentHeaders struct {
	headers map[string]string
	by      string
}

// keep keeps the headers of a message until it is sent.
func (h *headers) keep(m *state.Queued) {
	if m.Send.RequestHeaders == nil {
		return
	}
	if *h == nil {
		*h = headers{}
	}
	(*h)[m.ID] = sentHeaders{m.Send.RequestHeaders, m.Send.HeadersBy}
}

// give gives a message of the queue the headers that were kept for it.
func (h headers) give(m *state.Queued) {
	kept := h[m.ID]
	m.Send.RequestHeaders, m.Send.HeadersBy = kept.headers, kept.by
}

// forget forgets the headers of a message that has left the queue.
func (h headers) forget(id string) { delete(h, id) }
