package turn

import (
	"encoding/json"
	"strings"

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
	phase, ofPhase := strings.CutPrefix(pieces[0].Field, model.PhaseMark)
	if ofPhase {
		message.Phase = &phase
	} else {
		message.ReasoningWireField = wire.Optional(pieces[0].Field)
	}
	parts := make([]wire.ReasoningPart, len(pieces))
	for i, r := range pieces {
		if message.ReasoningOpaque == nil && r.Opaque != "" { // the first one
			rest, encrypted := model.SplitEncrypted(r.Opaque) // so that the log has it once
			r.Opaque, message.EncryptedContent = rest, wire.Optional(encrypted)
			message.ReasoningOpaque = wire.Optional(r.Opaque)
		}
		parts[i] = wire.ReasoningPart{
			Provider: r.Origin.Provider, Model: r.Origin.Model, Dialect: r.Origin.Dialect, Account: r.Origin.Account, Seal: r.Seal,
			ID: r.ID, AfterText: r.AfterText, AfterCalls: r.AfterCalls,
		}
		if len(pieces) > 1 || ofPhase {
			parts[i].Text, parts[i].Opaque, parts[i].Field = r.Text, r.Opaque, r.Field
		}
	}
	list, err := json.Marshal(parts)
	if err != nil {
		return nil // strings cannot fail
	}
	return list
}
