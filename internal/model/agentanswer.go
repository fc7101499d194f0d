package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Beside is what an agent's answer has beside its text.
type Beside struct {
	// References is the JSON list of copilot_references that the answer came with, as
	// the agent wrote them; nil if it had none. An agent counts on seeing them again.
	References json.RawMessage
	// Sources are those of them that people are shown.
	Sources []Source
	// Later is a JSON list of the [Confirmation]s that are to be asked one after the
	// other once the one among the tool calls is decided; nil for none.
	Later json.RawMessage
	// Faults are what the agent says that went wrong, a sentence or so each. Notes are
	// what about its answer was not as it should be, and might concern a person.
	Faults, Notes []string
}

// Source is a reference as people are shown it.
type Source struct{ ID, Title, URL string }

// agentAnswer collects an answer.
type agentAnswer struct {
	onDelta func(Delta) // nil: nobody listens
	started time.Time
	first   time.Duration

	text          strings.Builder
	references    []extension.Reference
	confirmations []Confirmation
	beside        Beside
}

func (a *agentAnswer) add(e extension.Event) {
	switch e.Kind {
	case extension.EventText:
		a.say(e.Text)
	case extension.EventReferences:
		a.references = append(a.references, e.References...)
	case extension.EventConfirmation:
		c := Confirmation{Title: e.Confirmation.Title, Message: e.Confirmation.Message}
		if e.Confirmation.Data != nil {
			data := string(e.Confirmation.Data)
			c.Data = &data
		}
		a.confirmations = append(a.confirmations, c)
	case extension.EventFaults:
		for _, f := range e.Faults {
			a.beside.Faults = append(a.beside.Faults, said(f))
		}
	case extension.EventWarning:
		a.beside.Notes = append(a.beside.Notes, e.Warning)
	}
}

func (a *agentAnswer) say(text string) {
	if a.first == 0 {
		a.first = time.Since(a.started)
	}
	a.text.WriteString(text)
	if a.onDelta != nil {
		a.onDelta(Delta{Kind: DeltaText, Text: text, Bytes: int64(a.text.Len())})
	}
}

// said is a fault as people read it.
func said(f extension.Fault) string {
	text := f.Message
	if text == "" {
		text = "the agent reports an error without a message"
	}
	var about []string
	for _, word := range []string{f.Type, f.Code, f.Identifier} {
		if word != "" {
			about = append(about, word)
		}
	}
	if len(about) > 0 {
		text += " (" + strings.Join(about, " ") + ")"
	}
	return text
}

// response is the whole answer. Of several confirmations the first is a call; the
// others are kept for the answers to come, since a decision is sent alone.
func (a *agentAnswer) response(name string) (*Response, error) {
	r := &Response{
		Model: name, Text: a.text.String(), Attempts: 1, FinishReason: "stop",
		FirstDelta: a.first, Duration: time.Since(a.started), Bytes: int64(a.text.Len()),
	}
	var err error
	if a.beside.References, err = listReferences(a.references); err != nil {
		return nil, fault.New(fault.Invalid, opStream, "", "the agent's references: %w", err)
	}
	for _, ref := range a.references {
		if ref.Metadata.DisplayName != "" {
			a.beside.Sources = append(a.beside.Sources, Source{ref.ID, ref.Metadata.DisplayName, ref.Metadata.DisplayURL})
		}
	}
	if len(a.confirmations) > 0 {
		args, err := json.Marshal(a.confirmations[0])
		if err == nil && len(a.confirmations) > 1 {
			a.beside.Later, err = json.Marshal(a.confirmations[1:])
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, opStream, "", "the agent's confirmation: %w", err)
		}
		r.ToolCalls = []ToolCall{{ID: "confirm_" + wire.NewID(), Name: ConfirmationTool, Arguments: string(args)}}
		r.FinishReason = "tool_calls"
	}
	r.Beside = a.beside
	return r, nil
}

// listReferences is references as a list that a log can hold: in one line, and
// otherwise as the agent wrote them.
func listReferences(list []extension.Reference) (json.RawMessage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	separator := byte('[')
	for _, ref := range list {
		b.WriteByte(separator)
		separator = ','
		one, err := ref.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if err := json.Compact(&b, one); err != nil {
			return nil, err
		}
	}
	b.WriteByte(']')
	return wire.RepairSurrogates(b.Bytes()), nil
}
