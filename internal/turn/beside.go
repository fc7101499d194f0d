package turn

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The types of the warnings that an agent has reported an error, and that its answer was
// not as it should be.
const (
	WarningFault  = "copilot_errors"
	WarningAnswer = "copilot_answer"
)

// beside adds to a message what an agent has sent beside its text. The sources back no
// part of the text in particular.
func beside(message *wire.AssistantMessage, b model.Beside) wire.Data {
	if len(b.Sources) > 0 {
		message.Citations = &wire.Citations{Spans: []wire.CitationSpan{}}
	}
	for _, s := range b.Sources {
		message.Citations.Sources = append(message.Citations.Sources, wire.CitationSource{
			ID: s.ID, Provider: wire.CitationByClient, Title: &s.Title, URL: optional(s.URL),
		})
	}
	var data wire.Data = message
	for _, f := range []struct {
		name  string
		value json.RawMessage
	}{{wire.FieldReferences, b.References}, {wire.FieldLater, b.Later}} {
		data = wire.WithField(data, f.name, f.value)
	}
	return data
}

// warnings are what people should know of an agent's answer.
func warnings(b model.Beside) (events []wire.Data) {
	for _, text := range b.Faults {
		events = append(events, &wire.SessionWarning{WarningType: WarningFault, Message: text})
	}
	for _, text := range b.Notes {
		events = append(events, &wire.SessionWarning{WarningType: WarningAnswer, Message: text})
	}
	return events
}
