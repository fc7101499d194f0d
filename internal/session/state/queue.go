package state

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Queued is an accepted message that has not been sent to the model yet.
type Queued struct {
	ID   string
	Send wire.Send // without RequestHeaders, which may be credentials and are not recorded
	// First marks the message that starts a cleared conversation.
	First bool
}

// Steers reports whether the message should reach the model during the current run. A shell
// command never does: it is a run of its own.
func (q *Queued) Steers() bool { return q.Send.Mode == "immediate" && q.Send.AgentMode != ModeShell }

// Shown returns the message as the user sees it.
func (q *Queued) Shown() string { return cmp.Or(q.Send.DisplayPrompt, q.Send.Prompt) }

// Event is the session.info event that keeps the message; message tells the user why
// it waits.
func (q *Queued) Event(message string) wire.Data {
	return wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoMessageQueued, Message: message}, wire.FieldQueued, wire.QueuedMessage{
		MessageID: q.ID, Prompt: q.Send.Prompt, DisplayPrompt: q.Send.DisplayPrompt, Attachments: q.Send.Attachments,
		Mode: q.Send.Mode, AgentMode: q.Send.AgentMode, Source: q.Send.Source, Format: q.Send.ResponseFormat,
	})
}

func (s *State) enqueue(data wire.Raw) {
	var q wire.QueuedMessage
	if json.Unmarshal(data.Get(wire.FieldQueued), &q) != nil || q.MessageID == "" {
		return
	}
	s.Queue = append(s.Queue, Queued{ID: q.MessageID, Send: wire.Send{
		Prompt: q.Prompt, DisplayPrompt: q.DisplayPrompt, Attachments: q.Attachments, Mode: q.Mode, AgentMode: q.AgentMode, Source: q.Source, ResponseFormat: q.Format,
	}})
}

// dequeue removes a message that is sent to the model. The first message of a cleared
// conversation is also recognized by its text, because other runtimes give it a new id.
func (s *State) dequeue(id, text string) {
	s.Queue = slices.DeleteFunc(s.Queue, func(q Queued) bool { return q.ID == id || q.First && q.Send.Prompt == text })
}

func (s *State) dropQueued(data wire.Raw) {
	var d wire.DroppedMessages
	if json.Unmarshal(data.Get(wire.FieldDropped), &d) == nil {
		s.Queue = slices.DeleteFunc(s.Queue, func(q Queued) bool { return slices.Contains(d.MessageIDs, q.ID) })
	}
}
