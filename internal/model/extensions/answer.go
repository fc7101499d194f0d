package extensions

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answer collects an answer.
type answer struct {
	onDelta func(model.Delta) // nil: nobody listens
	started time.Time
	first   time.Duration

	text          strings.Builder
	references    []extension.Reference
	confirmations []Confirmation
	parts         model.ExtensionParts
}

func (a *answer) add(e extension.Event) {
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
			a.parts.Faults = append(a.parts.Faults, faultText(f))
		}
	case extension.EventWarning:
		a.parts.Notes = append(a.parts.Notes, e.Warning)
	}
}

func (a *answer) say(text string) {
	if a.first == 0 {
		a.first = time.Since(a.started)
	}
	a.text.WriteString(text)
	if a.onDelta != nil {
		a.onDelta(model.Delta{Kind: model.DeltaText, Text: text, Bytes: int64(a.text.Len())})
	}
}

// faultText is a fault as users read it.
func faultText(f extension.Fault) string {
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
// others are kept for later answers, because each decision is sent alone.
func (a *answer) response(name string) (*model.Response, error) {
	r := &model.Response{
		Model: name, Text: a.text.String(), Attempts: 1, FinishReason: "stop",
		FirstDelta: a.first, Duration: time.Since(a.started), Bytes: int64(a.text.Len()),
	}
	var err error
	if a.parts.References, err = listReferences(a.references); err != nil {
		return nil, fault.New(fault.Invalid, op, "", "the agent's references: %w", err)
	}
	for _, ref := range a.references {
		if ref.Metadata.DisplayName != "" {
			a.parts.Sources = append(a.parts.Sources, model.Source{
				ID: ref.ID, Title: ref.Metadata.DisplayName, URL: ref.Metadata.DisplayURL,
			})
		}
	}
	if len(a.confirmations) > 0 {
		args, err := json.Marshal(a.confirmations[0])
		if err == nil && len(a.confirmations) > 1 {
			a.parts.Later, err = json.Marshal(a.confirmations[1:])
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, op, "", "the agent's confirmation: %w", err)
		}
		r.ToolCalls = []model.ToolCall{{ID: "confirm_" + wire.NewID(), Name: ConfirmationTool, Arguments: string(args)}}
		r.FinishReason = "tool_calls"
	}
	r.Extension = a.parts
	return r, nil
}

// listReferences returns references as a list that a log can hold: on one line, and
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
