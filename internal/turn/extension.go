package turn

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Types of warnings about an answer.
const (
	WarningModel  = "model_call"     // the model did not get everything
	WarningFault  = "copilot_errors" // an agent has reported an error
	WarningAnswer = "copilot_answer" // the form of an agent's answer was wrong
)

// withExtensionParts adds the parts of an agent's answer other than its text to a message. The
// sources back no part of the text in particular.
func withExtensionParts(message *wire.AssistantMessage, p model.ExtensionParts) wire.Data {
	if len(p.Sources) > 0 {
		message.Citations = &wire.Citations{Spans: []wire.CitationSpan{}}
	}
	for _, s := range p.Sources {
		message.Citations.Sources = append(message.Citations.Sources, wire.CitationSource{
			ID: s.ID, Provider: wire.CitationByClient, Title: &s.Title, URL: wire.Optional(s.URL),
		})
	}
	var data wire.Data = message
	for _, f := range []struct {
		name  string
		value json.RawMessage
	}{{wire.FieldReferences, p.References}, {wire.FieldLater, p.Later}} {
		data = wire.WithField(data, f.name, f.value)
	}
	return data
}

// warnings returns the problems of an answer that users should know of.
func warnings(resp *model.Response) (events []wire.Data) {
	for _, text := range resp.Notes {
		events = append(events, &wire.SessionWarning{WarningType: WarningModel, Message: text})
	}
	p := resp.Extension
	for _, text := range p.Faults {
		events = append(events, &wire.SessionWarning{WarningType: WarningFault, Message: text})
	}
	for _, text := range p.Notes {
		events = append(events, &wire.SessionWarning{WarningType: WarningAnswer, Message: text})
	}
	return events
}
