package state

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Queued is an accepted message that has not been sent to the model yet.
type Queued struct {
	ID   string
	Send wire.Send // without RequestHeaders, which may be credentials and are not recorded
	// First marks the message that starts a cleared conversation.
	First bool
	// Batch is the id of the last message of those that begin one run together; "" for a
	// message alone.
	Batch string
	// Command marks a slash command. It is not sent to the model.
	Command bool
}

// Size is how much of the memory the message takes, in bytes: its texts, attachments, headers and schema.
func (m *Queued) Size() int {
	size := len(m.Send.Prompt) + len(m.Send.DisplayPrompt) + len(m.Send.Attachments) + len(m.Send.ResponseFormat) + len(m.Send.Traceparent)
	for name, value := range m.Send.RequestHeaders {
		size += len(name) + len(value)
	}
	return size
}

// Item is the id of the message in the queue: messages that begin one run share it.
func (q *Queued) Item() string { return cmp.Or(q.Batch, q.ID) }

// Steers reports whether the message should reach the model during the current run. A shell
// command and a slash command never do: each is a run of its own.
func (q *Queued) Steers() bool {
	return q.Send.Mode == "immediate" && q.Send.AgentMode != ModeShell && !q.Command
}

// Shown returns the message as the user sees it.
func (q *Queued) Shown() string { return cmp.Or(q.Send.DisplayPrompt, q.Send.Prompt) }

// Event is the session.info event that keeps the message; message tells the user why
// it waits.
func (q *Queued) Event(message string) wire.Data {
	return wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoMessageQueued, Message: message}, wire.FieldQueued, wire.QueuedMessage{
		MessageID: q.ID, Prompt: q.Send.Prompt, DisplayPrompt: q.Send.DisplayPrompt, Attachments: q.Send.Attachments,
		Mode: q.Send.Mode, AgentMode: q.Send.AgentMode, Source: q.Send.Source, Batch: q.Batch, Command: q.Command, Format: q.Send.ResponseFormat, Traceparent: q.Send.Traceparent,
	})
}

// OrderEvent is the session.info event that puts a queue into an order.
func OrderEvent(queue []Queued) wire.Data {
	var order wire.QueueOrder
	for i := range queue {
		order.MessageIDs = append(order.MessageIDs, queue[i].ID)
	}
	info := &wire.SessionInfo{InfoType: wire.InfoQueueOrdered, Message: "The queued messages have another order."}
	return wire.WithJSON(info, wire.FieldOrdered, order)
}

func (s *State) enqueue(data wire.Raw) {
	var q wire.QueuedMessage
	if json.Unmarshal(data.Get(wire.FieldQueued), &q) != nil || q.MessageID == "" {
		return
	}
	m := Queued{ID: q.MessageID, Batch: q.Batch, Command: q.Command, Send: wire.Send{
		Prompt: q.Prompt, DisplayPrompt: q.DisplayPrompt, Attachments: q.Attachments, Mode: q.Mode, AgentMode: q.AgentMode, Source: q.Source, ResponseFormat: q.Format,
		Traceparent: q.Traceparent,
	}}
	if len(s.Schedule) > 0 {
		s.ran(q.Source, s.Modified)
	}
	i := slices.IndexFunc(s.Queue, func(q Queued) bool { return q.ID == m.ID })
	if i < 0 {
		s.Queue = append(s.Queue, m)
		return
	}
	s.Queue = slices.Clone(s.Queue) // others may read the queue of an earlier state
	s.Queue[i] = m
}

// orderQueue puts the queue into the order that an event names.
func (s *State) orderQueue(data wire.Raw) {
	var o wire.QueueOrder
	if json.Unmarshal(data.Get(wire.FieldOrdered), &o) != nil {
		return
	}
	at := make(map[string]int, len(o.MessageIDs))
	for i, id := range o.MessageIDs {
		at[id] = i
	}
	place := func(q Queued) int {
		if i, named := at[q.ID]; named {
			return i
		}
		return len(at)
	}
	s.Queue = slices.Clone(s.Queue)
	slices.SortStableFunc(s.Queue, func(a, b Queued) int { return place(a) - place(b) })
}

// dequeue removes a message that is sent to the model. The first message of a cleared
// conversation is also recognized by its text, because other runtimes give it a new id.
func (s *State) dequeue(id, text string) {
	s.Queue = slices.DeleteFunc(s.Queue, func(q Queued) bool { return q.ID == id || q.First && q.Send.Prompt == text })
	s.emptied()
}

// emptied ends the holding of a queue in which nothing waits any more.
func (s *State) emptied() { s.Hold.Held = s.Hold.Held && len(s.Queue) > 0 }

// HoldEvent is the session.info event that holds the queue, or lets it go on; message tells the
// user why.
func HoldEvent(h wire.QueueHold, message string) wire.Data {
	return wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoQueueHeld, Message: message}, wire.FieldHeld, h)
}

func (s *State) hold(data wire.Raw) {
	var h wire.QueueHold
	if json.Unmarshal(data.Get(wire.FieldHeld), &h) == nil {
		s.Hold = h
	}
}

// abort drops what waits.
func (s *State) abort(wire.Raw, time.Time) {
	s.Main.Broken = s.Main.Broken || s.Main.Unanswered
	s.Queue, s.Hold, s.Command, s.Main.Unanswered = nil, wire.QueueHold{}, "", false
}

func (s *State) dropQueued(data wire.Raw) {
	var d wire.DroppedMessages
	if json.Unmarshal(data.Get(wire.FieldDropped), &d) == nil {
		s.Queue = slices.DeleteFunc(s.Queue, func(q Queued) bool { return slices.Contains(d.MessageIDs, q.ID) })
		s.emptied()
	}
}
