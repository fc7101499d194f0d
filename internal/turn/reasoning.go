package turn

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// describeReasoning fills in the protocol's fields of a message, and returns the list
// for [wire.FieldReasoning], nil if the model sent no reasoning. Package state reads both.
func describeReasoning(message *wire.AssistantMessage, pieces []model.Reasoning) json.RawMessage {
	if len(pieces) == 0 {
		return nil
	}
	message.ReasoningText = wire.Optional(model.ReasoningText(pieces))
	message.ReasoningWireField = wire.Optional(pieces[0].Field)
	parts := make([]wire.ReasoningPart, len(pieces))
	for i, r := range pieces {
		if message.ReasoningOpaque == nil {
			message.ReasoningOpaque = wire.Optional(r.Opaque)
		}
		parts[i] = wire.ReasoningPart{Provider: r.Origin.Provider, Model: r.Origin.Model, ID: r.ID, AfterText: r.AfterText, AfterCalls: r.AfterCalls}
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
