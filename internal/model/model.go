// Package model makes one call to a language model: it turns a [Request] into
// one HTTP exchange with an OpenAI-compatible chat-completions endpoint and the
// answer, streamed or whole, into one [Response].
//
// # Reading order
//
// [Client.Stream] is the package; the rest are the values it takes and gives.
// An [Endpoint] says where to call and with which credential, a [Request] what to
// ask, a [Delta] is a piece of a streamed answer, an [Error] a failure with what the
// provider said about it. [Client.Models] lists what an endpoint offers.
//
// # What a caller can rely on
//
//   - A Response is a complete answer. A stream that was cut, or that ends
//     without saying so, is an error, however much text arrived before.
//   - Deltas come in order, on the calling goroutine, before Stream returns. Once
//     one was delivered the call is never tried again: nothing is said twice.
//   - Tool-call arguments are carried as the text the model produced, byte for
//     byte, in both directions. Every tool call in a Response has an id, unique
//     within it.
//   - Stream ends. The context ends it at once; silence ends it after
//     [Options.Idle]; retries are counted and their waiting is bounded by [Retry].
//   - Every error is a [*fault.Error]. Unless the caller's context ended it, there
//     is an [*Error] inside, whose [Error.Category] is the errorType of a
//     session.error event.
//   - No credential appears in an error or a log line.
//
// # Several choices
//
// Some endpoints, the Copilot API among them, send the text of an answer in one
// choice and its tool calls in the next. They are parts of one answer here, not
// alternatives: contents are joined and tool calls listed in order of choice.
//
// # What is absent
//
// No history is kept, shortened or checked: messages go out as given. Two dialects
// are spoken: chat completions, and, in agent.go, that of Copilot Extensions agents,
// which package extension knows; no other yet. Package modeltest is a fake provider
// for tests and demonstrations.
package model

import (
	"encoding/json"
	"time"
)

// Role is who speaks in a [Message].
type Role string

const (
	RoleSystem    Role = "system"    // at most once, first
	RoleUser      Role = "user"      // a person, or the runtime in a person's place
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // a tool's result
)

// Message is one entry of a conversation.
type Message struct {
	Role Role
	// Content is the text. With Parts it is not sent.
	Content string
	// Parts is user content of several pieces, in order; nil for plain text.
	Parts []Part
	// ToolCalls are the calls an assistant message makes, in the model's order.
	ToolCalls []ToolCall
	// ToolCallID says which call a tool message answers.
	ToolCallID string
	// References are what the message refers to: those of a person, and those that the
	// agent sent with its answer. Later are the confirmations of an answer that nobody
	// was asked for yet. Both are JSON lists as in [Beside]; Extension only.
	References, Later json.RawMessage
}

// Part is a piece of a user message: an image if ImageURL is set, else text.
type Part struct {
	Text string
	// ImageURL is an https URL or a data URL with base64 content.
	ImageURL string
}

// ToolCall is a model's wish to have a tool run.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is JSON text exactly as the model wrote it; it may be empty or
	// malformed, as models are.
	Arguments string
}

// Tool is a function offered to the model.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema; nil means the tool takes none.
	Parameters json.RawMessage

	encoded []byte // as it goes into a request; nil: not yet
}

// Encoded returns the tool in a form that costs little to send again and again. It
// fails if Parameters are not JSON.
func (t Tool) Encoded() (Tool, error) {
	if err := t.check(); err != nil {
		return t, err
	}
	t.encoded = appendTool(nil, &t)
	return t, nil
}

// Initiator values: who caused a call. The Copilot API bills by it.
const (
	InitiatorUser  = "user"
	InitiatorAgent = "agent"
)

// Request is what to ask. The zero value of every field but Model and Messages
// leaves the choice to the provider.
type Request struct {
	// Model names the model, unless [Endpoint.WireModel] does.
	Model    string
	Messages []Message
	Tools    []Tool
	// Stream asks for the answer in pieces. An endpoint may ignore it.
	Stream bool
	// MaxOutputTokens bounds the answer; 0 means [Endpoint.MaxOutputTokens].
	MaxOutputTokens int
	// ReasoningEffort is a provider's own word, such as "low" or "high".
	ReasoningEffort string
	// Headers are added to this call and override those of the endpoint.
	Headers map[string]string
	// InteractionID groups the calls of one user prompt. Copilot only.
	InteractionID string
	// Thread names the conversation, the same in all its calls. Extension only.
	Thread string
	// Initiator is [InitiatorUser] or [InitiatorAgent]; empty means user if the
	// last message is a user's, else agent. Copilot only.
	Initiator string
	// OnRetry, if set, is told before each wait in place of the log, on the calling
	// goroutine: which attempt failed (from 1), how long the wait is, and why it
	// failed.
	OnRetry func(attempt int, wait time.Duration, err error)
}

// DeltaKind is what a [Delta] is a piece of.
type DeltaKind uint8

const (
	DeltaText      DeltaKind = iota + 1 // the answer
	DeltaReasoning                      // the model's visible thinking
	DeltaToolCall                       // the arguments of a tool call
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
	// Reported is false if the provider sent no count, or only zeros as replaying
	// proxies do: then estimate.
	Reported bool
}

// Response is a complete answer.
type Response struct {
	ID    string // the provider's; may be empty
	Model string // as the provider names it; may differ from the request's
	Text  string
	// Reasoning is the model's visible thinking, if it shows any.
	Reasoning string
	ToolCalls []ToolCall
	// FinishReason is the provider's word: "stop", "tool_calls", "length",
	// "content_filter". Empty if it gave none.
	FinishReason string
	Usage        Usage
	// CallID is the provider's id of the exchange, for its support people.
	CallID string
	// Bytes is the length of the answer's body as received.
	Bytes int64
	// Attempts is how many requests it took, at least 1.
	Attempts int
	// FirstDelta is from the last attempt's start to its first delta, 0 if there
	// was none; Duration to its end.
	FirstDelta, Duration time.Duration
	// Beside is what an agent has sent beside its text. Extension only, else zero.
	Beside Beside
}
