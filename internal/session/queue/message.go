package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Message is a message of a client on its way into the conversation. The zero value starts a run
// that answers what is recorded already.
type Message struct {
	state.Queued
	Interaction Interaction // set when the message is about to be recorded

	// The rest is what the form of the message depends on. It is set when the message is about
	// to be sent.

	RemovedTools []string // that were removed since the message before
	Extension    string   // the Copilot Extensions agent that it goes to; "" is a model
	Documents    bool     // its model reads documents itself
}

// Interaction names what belongs to one message of a user: the message, and the run that
// answers it.
type Interaction struct {
	Run    string // id of the run; "" for none yet
	Origin string // id of the message that began it
	Turn   string // the turn that reads the message; "" for none
}

// Begin sets the interaction of a message that is about to be recorded for a run.
func (m *Message) Begin(s *state.State, run string) {
	m.Interaction = Interaction{Run: run, Origin: m.ID}
	if m.Send.AgentMode != state.ModeShell { // which no turn reads
		m.Interaction.Turn = s.NextTurn("")
	}
}

// agentModes are the modes that a message can have; "" is that of the session.
var agentModes = []string{"", "interactive", "plan", "autopilot", state.ModeShell}

// Valid returns why a message cannot be sent; op is the method that the client called.
func (m *Message) Valid(op, session string) error {
	if !slices.Contains(agentModes, m.Send.AgentMode) {
		return fault.New(fault.Invalid, op, session, `agentMode is %q, want "interactive", "plan", "autopilot" or "shell"`, m.Send.AgentMode)
	}
	if err := m.check(); err != nil {
		return fault.New(fault.Invalid, op, session, "%w", err)
	}
	return nil
}

// check makes sure that the message is not empty and that its attachments are a list of
// objects, which is all that the log requires.
func (m *Message) check() error {
	if string(m.Send.Attachments) == "null" {
		m.Send.Attachments = nil
	}
	if m.Send.Attachments == nil {
		if m.Send.Prompt == "" {
			return errors.New("the prompt is empty")
		}
		return nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(m.Send.Attachments, &list) != nil {
		return errors.New("attachments is not a list of objects")
	}
	return nil
}

// maxFormat bounds the schema of an answer, in bytes. Source: the SDK's comment on the field.
const maxFormat = 32 << 20

// CheckFormat checks where the form in which a message wants its answer may be used, and how long it
// is, and drops an absent one. wrong says what is wrong with a form.
func (m *Message) CheckFormat(wrong func(form json.RawMessage) error) error {
	format := m.Send.ResponseFormat
	if string(bytes.TrimSpace(format)) == "null" {
		m.Send.ResponseFormat, format = nil, nil
	}
	switch {
	case format == nil:
		return nil
	case m.Send.Mode == "immediate":
		return errors.New(`responseFormat cannot be used with mode "immediate": the message joins the run of another one, whose answer it cannot change`)
	case m.Send.AgentMode == state.ModeShell:
		return errors.New(`responseFormat cannot be used with agentMode "shell": no model answers`)
	case len(format) > maxFormat:
		return fmt.Errorf("responseFormat is larger than %d bytes", maxFormat)
	}
	return wrong(format)
}

// SameAddress reports whether what two forms of a message depend on is the same.
func (m *Message) SameAddress(other Message) bool {
	return m.Extension == other.Extension && m.Documents == other.Documents && slices.Equal(m.RemovedTools, other.RemovedTools)
}

// Notice is the text before a message that reports removed tools.
func (m *Message) Notice() []string {
	if len(m.RemovedTools) == 0 {
		return nil
	}
	return []string{prompt.ToolsChanged(m.RemovedTools...)}
}

// Events is a message as the log holds it: before it the pictures that it refers to,
// after it warnings about parts that the model does not get.
func (m *Message) Events(delivery string, u prompt.UserMessage) []wire.Data {
	var out []wire.Data
	for _, asset := range u.Assets {
		out = append(out, asset)
	}
	kept := *m
	kept.Send.Attachments = u.Attachments
	out = append(out, kept.addressed(kept.event(delivery, u.Text), u.References))
	for _, w := range u.Warnings {
		out = append(out, &wire.SessionWarning{WarningType: "attachment", Message: w})
	}
	return out
}

// MaxTraceparent bounds the trace of a message, in bytes. Today's form has 55; a newer one may be
// longer. A longer text is none.
const MaxTraceparent = 200

// event is the message as the log holds it: what the user wrote, and what the
// model reads.
func (m *Message) event(delivery, transformed string) wire.Data {
	shown := m.Send.Prompt
	if m.Send.DisplayPrompt != "" {
		shown = m.Send.DisplayPrompt
	}
	how := wire.Delivery(delivery)
	u := &wire.UserMessage{
		Content: shown, TransformedContent: &transformed,
		Source: wire.Optional(m.Send.Source), Delivery: &how, MessageID: &m.ID,
		InteractionID: wire.Optional(m.Interaction.Run), TurnID: wire.Optional(m.Interaction.Turn),
	}
	if m.Send.AgentMode != "" {
		mode := wire.AgentMode(m.Send.AgentMode)
		u.AgentMode = &mode
	}
	event := wire.WithField(u, "attachments", m.Send.Attachments)
	if m.Send.Traceparent != "" && len(m.Send.Traceparent) <= MaxTraceparent {
		event = wire.WithJSON(event, wire.FieldTraceparent, m.Send.Traceparent)
	}
	if len(m.RemovedTools) == 0 {
		return event
	}
	return wire.WithJSON(event, wire.FieldRemovedTools, m.RemovedTools)
}

// addressed adds to a user.message which Copilot Extensions agent it goes to, and the
// references for it.
func (m *Message) addressed(e wire.Data, references json.RawMessage) wire.Data {
	if m.Extension == "" {
		return e
	}
	return wire.WithField(wire.WithField(e, wire.FieldExtension, wire.AppendString(nil, m.Extension)), wire.FieldReferences, references)
}

// Aside is a text for the model that no user wrote.
func Aside(source, text string) *wire.UserMessage {
	return &wire.UserMessage{Content: text, Source: &source}
}
