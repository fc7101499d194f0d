package model

import (
	"encoding/json"
	"time"
)

// DeltaKind is what a [Delta] is a piece of.
type DeltaKind uint8

const (
	DeltaText      DeltaKind = iota + 1 // the answer
	DeltaReasoning                      // the model's visible thinking
	DeltaToolCall                       // the arguments of a tool call
	// DeltaHeld is text that a [Decoder] holds, because it may turn out to be calls. It is watched for repetition, and
	// no caller gets it. What it turns out to be comes at the end.
	DeltaHeld
)

// Delta is one piece of a streamed answer.
type Delta struct {
	Kind DeltaKind
	// Text continues the answer, the reasoning or the call's arguments. It may be
	// empty for a tool call that has only been named.
	Text string
	// Index, CallID and Name tell tool calls apart. Index counts calls in order
	// of appearance, from 0. CallID never changes within a call.
	Index  int
	CallID string
	Name   string
	// Bytes is how much of the answer's body has arrived with this piece.
	Bytes int64
}

// Usage counts tokens, as the provider counts them.
type Usage struct {
	Input      int64 // the prompt, CacheRead included
	Output     int64 // the answer, Reasoning included
	CacheRead  int64 // part of Input that was cached
	CacheWrite int64 // part of Input put into the cache
	Reasoning  int64 // part of Output that was thinking
	// NanoAIU is what the call cost at the GitHub service, in billionths of an AI credit; 0 if
	// the provider does not say.
	NanoAIU int64
	// Cost is what the call cost at its provider, in US dollars; nil if that is not known.
	Cost *float64
	// Reported is false if the provider sent no count, or only zeros as replaying
	// proxies do: then estimate.
	Reported bool
	// Partial means that Input leaves out what the server had in its cache, and that it does not
	// say how much that is: then estimate the size of the prompt.
	Partial bool
}

// Tokens limits a count that a provider reports to plausible values, so that sums over a
// session cannot overflow.
func Tokens(n float64) int64 {
	const most = 1 << 40
	return int64(min(max(n, 0), most))
}

// Response is a complete answer.
type Response struct {
	ID    string // the provider's; may be empty
	Model string // as the provider names it; may differ from the request's
	Text  string
	// Reasoning is what the model thought, in order, as far as the provider sends it.
	Reasoning []Reasoning
	ToolCalls []ToolCall
	// CallsInText means that the server has sent ToolCalls as text, in the form of its model, because
	// it has no parser for them.
	CallsInText bool
	// Citations say what pieces of Text rest on, in the order of the text.
	Citations []Citation
	// FinishReason is why the answer ended; "" if the provider did not say. FinishWord is the
	// provider's own word for it, with its details, if the answer is not complete.
	FinishReason Finish
	FinishWord   string
	Usage        Usage
	// CallID is the provider's id of the exchange, for its support people.
	CallID string
	// RequestBytes is the length of the body of the last request; 0 if that is not known.
	RequestBytes int64
	// Bytes is the length of the answer's body as received.
	Bytes int64
	// Attempts is how many requests it took, at least 1.
	Attempts int
	// Notes tell the user what the model did not get, because the provider refuses it; a sentence
	// each.
	Notes []string
	// WithoutEffort means that the model does not take the effort of the request, now or in an
	// earlier call, so that it was left out.
	WithoutEffort bool
	// OverHTTP means that the endpoint is called over a WebSocket, and that this call went over HTTP
	// because WebSockets did not work ([Endpoint.OrHTTP]).
	OverHTTP bool
	// FirstDelta is from the last attempt's start to its first delta, 0 if there
	// was none; Duration to its end.
	FirstDelta, Duration time.Duration
	// Extension is what an agent has sent with its text. Copilot Extensions only, else
	// zero.
	Extension ExtensionParts
}

// Citation says which part of a document a piece of an answer rests on.
type Citation struct {
	Start, End int    // the piece of the text, in bytes
	Cited      string // what the document says there
	Title      string // of the document
	Document   int    // its number among the documents of the conversation, from 0
	// Unit is what From and To count: "page" (To is the last page), "char" or "block" (To is
	// behind the last one); "" if the place is not known.
	Unit     string
	From, To int64
}

// ExtensionParts is what an answer of a Copilot Extensions agent has besides its text.
type ExtensionParts struct {
	// References is the JSON list of copilot_references that the answer came with, as
	// the agent wrote them; nil if it had none. An agent expects to get them back.
	References json.RawMessage
	// Sources are those of them that users are shown.
	Sources []Source
	// Later is a JSON list of the confirmations that are to be asked one after the
	// other once the one among the tool calls is decided; nil for none.
	Later json.RawMessage
	// Faults are the errors that the agent reports, a sentence or so each. Notes say
	// what was wrong with the form of its answer, where that may concern the user.
	Faults, Notes []string
}

// Source is a reference as users are shown it.
type Source struct{ ID, Title, URL string }
