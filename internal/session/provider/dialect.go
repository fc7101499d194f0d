package provider

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The types of a client's provider. Besides there are Copilot Extensions agents
// (providerExtension).
const (
	providerOpenAI    = "openai" // the usual one
	providerAnthropic = "anthropic"
	providerAzure     = "azure"
	// Our own, for dialects that the SDKs have no type for.
	providerGemini  = "gemini"
	providerBedrock = "bedrock"
	providerOllama  = "ollama"
)

// dialects are those of the types that have only one.
var dialects = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		providerAnthropic: anthropic.Name, providerGemini: gemini.Name, providerBedrock: bedrock.Name, providerOllama: ollama.Name,
	}
}}

// knownType reports whether a client's provider is of a type that there is.
func knownType(kind string) bool {
	return kind == "" || kind == providerOpenAI || kind == providerAzure || dialects.Get()[kind] != ""
}

// overWebSockets is the transport of a provider that is called over WebSockets, in the words of
// the protocol.
const overWebSockets = "websockets"

// The dialects of an OpenAI-compatible provider, in the words of the protocol (wireApi).
const (
	wireCompletions = string(wire.WireAPICompletions) // the usual one
	wireResponses   = string(wire.WireAPIResponses)
)

// dialectOf is the dialect that a client's provider speaks.
func dialectOf(p *wire.Provider) string {
	switch name := dialects.Get()[p.Type]; {
	case name != "":
		return name
	case p.WireAPI == wireResponses:
		return responses.Name
	}
	return chat.Name
}

// windowOf is the context window of a client's provider, in tokens; 0 if it is not known.
func windowOf(p *wire.Provider) int64 {
	if p.Type == providerOllama {
		return int64(cmp.Or(p.MaxPromptTokens, p.MaxWindowTokens, ollama.Window))
	}
	return int64(cmp.Or(p.MaxPromptTokens, p.MaxWindowTokens))
}

// windowFrom is the source of [windowOf]: the client, or the requests, which ask Ollama for a window.
func windowFrom(p *wire.Provider) string {
	if p.Type == providerOllama && p.MaxPromptTokens+p.MaxWindowTokens == 0 {
		return WindowRequested
	}
	return windowOfClient
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

// overWebSocket reports whether calls of a model of the Copilot API go over a WebSocket: its
// list says that they can, and neither the process nor the client has switched that off.
func (m *Models) overWebSocket(p Provider, paths []string) bool {
	return !m.home.NoWebSockets && !p.NoWebSockets && slices.Contains(paths, string(wire.SocketResponses))
}

// ReadsDocuments reports whether models at an endpoint read documents, such as PDFs.
func ReadsDocuments(at *model.Endpoint) bool {
	switch at.Dialect {
	case anthropic.Name, responses.Name, gemini.Name, bedrock.Name:
		return true
	case chat.Name, "":
		return chat.ReadsDocuments(at)
	}
	return false
}

// Sight is what the model accepts besides text.
func (e Endpoint) Sight() prompt.Sight {
	documents := ReadsDocuments(&e.At) && (e.documents == nil || *e.documents)
	return prompt.Sight{Pictures: e.vision, Documents: documents}
}

// apiOf is the path of the calls of an endpoint, in reports of them.
func apiOf(e *model.Endpoint) wire.APIEndpoint {
	switch e.Dialect {
	case responses.Name:
		if e.WebSocket {
			return wire.SocketResponses
		}
		return wire.Responses
	case anthropic.Name:
		return wire.Messages
	}
	return wire.ChatCompletions
}

// typeOf is the type of the provider of an endpoint, in reports of its calls: that of a client's provider, as far as
// the SDKs have one; "" for the Copilot API.
func typeOf(e *model.Endpoint) string {
	switch {
	case e.Copilot:
		return ""
	case e.Azure.Resource:
		return providerAzure
	case e.Dialect == "" || e.Dialect == chat.Name || e.Dialect == responses.Name:
		return providerOpenAI
	case e.Dialect == anthropic.Name:
		return providerAnthropic
	}
	return wire.ProviderOther
}

// Takes reports whether an effort of reasoning makes a difference to the model of a request, as
// far as its dialect and the list of its provider say. The provider may know more.
func (e Endpoint) Takes(r *model.Request) bool {
	effort, name := r.ReasoningEffort, r.ModelAt(&e.At)
	switch {
	case effort == "":
		return true
	case e.At.Dialect == anthropic.Name && !anthropic.TakesEffort(name, effort):
		return false
	case e.At.Dialect == gemini.Name && !gemini.TakesEffort(name, effort):
		return false
	}
	return len(e.efforts) == 0 || slices.Contains(e.efforts, effort)
}

// EffortSent is the word that stands for the effort of a request in what is sent. Some protocols have
// fewer words than there are efforts.
func (e Endpoint) EffortSent(r *model.Request) string {
	switch e.At.Dialect {
	case gemini.Name:
		return gemini.EffortOf(r.ModelAt(&e.At), r.ReasoningEffort)
	case ollama.Name:
		return ollama.EffortOf(r.ReasoningEffort)
	}
	return r.ReasoningEffort
}

// Summarizes reports whether the dialect lets a request choose how much of its reasoning the model
// shows.
func (e Endpoint) Summarizes() bool {
	return e.At.Dialect != "" && e.At.Dialect != chat.Name
}
