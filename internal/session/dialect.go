package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The types of a client's provider. Besides there are Copilot Extensions agents
// (providerExtension).
const (
	providerOpenAI    = "openai" // the usual one
	providerAnthropic = "anthropic"
)

// The dialects of an OpenAI-compatible provider, in the words of the protocol (wireApi).
const (
	wireCompletions = string(wire.WireAPICompletions) // the usual one
	wireResponses   = string(wire.WireAPIResponses)
)

// dialectOf is the dialect that a client's provider speaks.
func dialectOf(p *wire.Provider) string {
	switch {
	case p.Type == providerAnthropic:
		return anthropic.Name
	case p.WireAPI == wireResponses:
		return responses.Name
	}
	return chat.Name
}

// listedDialect is the dialect of a model that the provider's list names with the paths at
// which it can be called: chat completions unless only another one is listed. "" if the list
// does not say.
func listedDialect(paths []string) string {
	switch {
	case slices.Contains(paths, string(wire.ChatCompletions)):
	case slices.Contains(paths, string(wire.Responses)):
		return responses.Name
	case slices.Contains(paths, string(wire.Messages)):
		return anthropic.Name
	}
	return ""
}

// overWebSocket reports whether calls of a model go over a WebSocket: its provider lists that, and
// the process is set to it.
func (r *Registry) overWebSocket(paths []string) bool {
	return r.opts.WebSockets && slices.Contains(paths, string(wire.SocketResponses))
}

// readsDocuments reports whether models that are called in a dialect read documents, such as PDFs.
func readsDocuments(dialect string) bool {
	return dialect == anthropic.Name || dialect == responses.Name || dialect == gemini.Name
}

// sight is what the model accepts besides text.
func (e turnEndpoint) sight() prompt.Sight {
	documents := readsDocuments(e.endpoint.Dialect) && (e.documents == nil || *e.documents)
	return prompt.Sight{Pictures: e.vision, Documents: documents}
}

// apiOf is the path of the calls of an endpoint, in reports of them.
func apiOf(e *model.Endpoint) wire.APIEndpoint {
	switch e.Dialect {
	case responses.Name:
		if e.OverWebSocket() {
			return wire.SocketResponses
		}
		return wire.Responses
	case anthropic.Name:
		return wire.Messages
	}
	return wire.ChatCompletions
}
