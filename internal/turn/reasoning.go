package turn

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FieldReasoning is a field of our own in an assistant.message: a list that says where
// each piece of its reasoning came from, so that the piece can be sent back there. The text
// and so on of a single piece are in the protocol's own fields, reasoningText,
// reasoningOpaque and reasoningWireField; of several pieces, each repeats its own.
const FieldReasoning = "reasoningParts"

// reasoningPart is an element of [FieldReasoning].
type reasoningPart struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Field    string `json:"field,omitempty"`
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Opaque   string `json:"opaque,omitempty"`
}

// describeReasoning fills in the protocol's fields of a message, and returns the list
// for [FieldReasoning], nil if the model sent no reasoning.
func describeReasoning(message *wire.AssistantMessage, pieces []model.Reasoning) json.RawMessage {
	if len(pieces) == 0 {
		return nil
	}
	message.ReasoningText = optional(model.ReasoningText(pieces))
	message.ReasoningWireField = optional(pieces[0].Field)
	parts := make([]reasoningPart, len(pieces))
	for i, r := range pieces {
		if message.ReasoningOpaque == nil {
			message.ReasoningOpaque = optional(r.Opaque)
		}
		parts[i] = reasoningPart{Provider: r.Origin.Provider, Model: r.Origin.Model, ID: r.ID}
		if len(pieces) > 1 {
			parts[i].Text, parts[i].Opaque, parts[i].Field = r.Text, r.Opaque, r.Field
		}
	}
	list, err := json.Marshal(parts)
	if err != nil {
		return nil // strings cannot fail
	}
	return list
}

// ReasoningOf returns the reasoning of a recorded assistant.message, as the model's
// answer had it; nil if it had none, or if its origin was not recorded.
func ReasoningOf(message wire.Raw) []model.Reasoning {
	var pieces []model.Reasoning
	for p := range message.Get(FieldReasoning).Elements() {
		pieces = append(pieces, model.Reasoning{
			Text: p.Get("text").Text(), Opaque: p.Get("opaque").Text(), Field: p.Get("field").Text(), ID: p.Get("id").Text(),
			Origin: model.Origin{Provider: p.Get("provider").Text(), Model: p.Get("model").Text()},
		})
	}
	if len(pieces) == 1 {
		p := &pieces[0]
		p.Text, p.Opaque = message.Get("reasoningText").Text(), message.Get("reasoningOpaque").Text()
		p.Field = message.Get("reasoningWireField").Text()
	}
	return pieces
}
