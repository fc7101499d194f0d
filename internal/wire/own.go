package wire

import (
	"encoding/json"
	"strings"
)

// This file holds everything that this program adds to the protocol's persisted
// events: types of session.info events, and fields beside those that the SDKs know.
// Programs on an SDK ignore them. A log is read by later versions, so nothing here
// may change its meaning.

// The types (infoType) of the session.info events that carry state of ours.
const (
	// InfoMessageQueued keeps a message that arrived while the session was busy, in
	// the field [FieldQueued].
	InfoMessageQueued = "message_queued"
	// InfoMessagesDropped removes messages from the queue, in [FieldDropped].
	InfoMessagesDropped = "messages_dropped"
	// InfoSessionNamed keeps the session's name, in [FieldNamed]. The protocol's own
	// event, session.title_changed, is ephemeral.
	InfoSessionNamed = "session_named"
	// InfoHistoryTruncated removes the end of the history, in [FieldTruncated]. The
	// protocol's own event, session.snapshot_rewind, is ephemeral.
	InfoHistoryTruncated = "history_truncated"
)

// The fields of ours, each with the event that has it.
const (
	FieldQueued    = "queued"    // of session.info: a [QueuedMessage]
	FieldDropped   = "dropped"   // of session.info: [DroppedMessages]
	FieldNamed     = "named"     // of session.info: a [SessionName]
	FieldTruncated = "truncated" // of session.info: a [Truncation]
	FieldCondensed = "condensed" // of session.compaction_complete: [Condensed]
	// FieldPurpose of assistant.turn_start is [PurposeCompaction] if the turn is the
	// call for a summary and no turn of the conversation.
	FieldPurpose = "purpose"
	// FieldExtension of user.message names the Copilot Extensions agent that the
	// message was sent to. A message without it was sent to a model.
	FieldExtension = "agent"
	// FieldReferences of user.message and assistant.message holds the references of a
	// Copilot Extensions agent as the agent sent them. The next message sends them back.
	FieldReferences = "copilotReferences"
	// FieldLater of assistant.message holds the confirmations that a Copilot Extensions
	// agent asked for beside the first. They are asked one after the other.
	FieldLater = "laterConfirmations"
	// FieldReasoning of assistant.message is a list of [ReasoningPart].
	FieldReasoning = "reasoningParts"
	// FieldNewTools of assistant.turn_start names the client tools that this turn is
	// the first to offer to the model.
	FieldNewTools = "newTools"
	// FieldRemovedTools of user.message names the client tools that the model was
	// offered before and that no attached client provides any more.
	FieldRemovedTools = "goneTools"
	// FieldPayloads of session.warning names the payloads of the events whose content is
	// reported as missing.
	FieldPayloads = "payloads"
)

// PurposeCompaction is the value of [FieldPurpose] for the call for a summary.
const PurposeCompaction = "compaction"

// TruncatedByUs is the performedBy of a session.truncation that this program carried
// out. What the truncations of other runtimes removed is not known.
const TruncatedByUs = "sidestick"

// ReasoningPart says where a piece of a model's reasoning came from, so that it can be
// sent back there. If a message has one piece, its text, opaque content and field name are
// in the protocol's own fields: reasoningText, reasoningOpaque and reasoningWireField.
// Of several pieces each has its own.
type ReasoningPart struct {
	Provider string `json:"provider"` // base URL without user and query
	Model    string `json:"model"`
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Opaque   string `json:"opaque,omitempty"`
	Field    string `json:"field,omitempty"` // where the provider sent the text
}

// QueuedMessage is a message that waits until the session can take it. Its headers
// are not kept, because they may be credentials.
type QueuedMessage struct {
	MessageID     string          `json:"messageId"`
	Prompt        string          `json:"prompt"`
	DisplayPrompt string          `json:"displayPrompt,omitempty"`
	Attachments   json.RawMessage `json:"attachments,omitempty"`
	Mode          string          `json:"mode,omitempty"`
	AgentMode     string          `json:"agentMode,omitempty"`
	Source        string          `json:"source,omitempty"`
}

// DroppedMessages names queued messages that were removed before the session took them.
type DroppedMessages struct {
	MessageIDs []string `json:"messageIds"`
}

// SessionName is the name that a session was given.
type SessionName struct {
	Name string `json:"name"`
	User bool   `json:"user"` // the user chose it; false: it was made from the conversation
}

// Truncation removes an event of the log and every event after it, up to the event
// that carries the truncation. The log keeps the lines; readers of the history skip
// them.
type Truncation struct {
	EventID string `json:"eventId"` // of the first removed event
	From    uint64 `json:"from"`    // the position of that event when it was removed
	Removed int64  `json:"removed"` // how many events were removed, this one not counted
}

// Condensed says what a summary replaces, so that a replay builds the same
// conversation.
type Condensed struct {
	Entries int      `json:"entries"` // how many messages of the conversation, from its first on
	Said    []string `json:"said"`    // what the user wrote, kept word for word beside the summary
}

// WithJSON returns an event with a field of ours whose value is v. An event whose
// value cannot be encoded is returned as it is; the types of this file always can be.
func WithJSON(e Data, field string, v any) Data {
	value, err := json.Marshal(v)
	if err != nil {
		return e
	}
	return WithField(e, field, value)
}

// Optional returns a pointer to v, or nil if v is its type's zero value: the SDK's
// types mark a field that is absent by nil.
func Optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Texts returns the strings of a JSON list. Other elements are left out.
func Texts(list Raw) (out []string) {
	for e := range list.Elements() {
		if e.IsString() {
			out = append(out, strings.Clone(e.Text()))
		}
	}
	return out
}
