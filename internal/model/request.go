package model

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Role is the author of a [Message].
type Role string

const (
	RoleSystem    Role = "system"    // at most once, first
	RoleUser      Role = "user"      // the user, or the runtime on the user's behalf
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // a tool's result
)

// Message is one entry of a conversation.
type Message struct {
	Role Role
	// Content is the text. It is not sent if there are Parts, except in a tool's result.
	Content string
	// Parts is user content of several pieces, in order; nil for plain text. Of a tool's
	// result they are the files that it shows besides Content, each behind its name.
	Parts []Part
	// Reasoning is the thinking of an assistant message, as [Response.Reasoning] had it.
	// A dialect sends back only what the endpoint accepts.
	Reasoning []Reasoning
	// ToolCalls are the calls an assistant message makes, in the model's order.
	ToolCalls []ToolCall
	// ToolCallID says which call a tool message answers.
	ToolCallID string
	// References are what the message refers to: those of the user, and those that an
	// agent sent with its answer. Later are the confirmations of an answer that the user
	// has not been asked for yet. Both are JSON lists as in [ExtensionParts]. Copilot
	// Extensions only.
	References, Later json.RawMessage
}

// Part is a piece of a message: an image if ImageURL is set, a document if Document is, else
// text.
type Part struct {
	Text string
	// ImageURL is an https URL or a data URL with base64 content.
	ImageURL string
	Document *Document
}

// Document is a file that the model reads as a whole, such as a PDF. Chat completions does not
// send any.
type Document struct {
	Name, MediaType string
	Data            string // base64
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string
	Name string
	// Arguments is JSON text exactly as the model wrote it. It may be empty or
	// malformed.
	Arguments string
}

// Object returns the arguments as the object that most protocols want. Arguments that are not an
// object are kept in it as text.
func (c *ToolCall) Object() []byte {
	var object map[string]json.RawMessage
	if strings.TrimSpace(c.Arguments) == "" {
		return []byte("{}")
	}
	if json.Unmarshal([]byte(c.Arguments), &object) == nil && object != nil {
		return []byte(c.Arguments)
	}
	return append(wire.AppendString([]byte(`{"_raw":`), c.Arguments), '}')
}

// Initiator values say what caused a call. The Copilot API bills by it.
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
	// ReasoningSummary is how much of its reasoning the model shows: "auto", "concise",
	// "detailed" or "none"; empty leaves it to the dialect. Chat completions has no such choice.
	ReasoningSummary string
	// Format is the form of the answer; nil is free text.
	Format *ResponseFormat
	// Citations asks the model to say which parts of documents its answer rests on. Anthropic's
	// Messages only.
	Citations bool
	// Headers are added to this call and override those of the endpoint.
	Headers map[string]string
	// HeadersOwner has brought Headers.
	HeadersOwner Owner
	// InteractionID groups the calls of one user prompt. Copilot API only.
	InteractionID string
	// Thread names the conversation, the same in all its calls. Copilot Extensions agents know
	// it by that; OpenAI and xAI keep their caches under it.
	Thread string
	// Place is the conversation and its folders, and Secrets what a recording of the call must not
	// contain, besides the secrets of the process and of the endpoint; nil: nothing. Neither is sent.
	Place   Place
	Secrets *obs.Redactor
	// Initiator is [InitiatorUser] or [InitiatorAgent]; empty means user if the
	// last message is a user's, else agent. Copilot API only.
	Initiator string
	// OnRetry, if set, is called before each wait, on the calling goroutine, with the
	// number of the attempt that follows (from 2), the length of the wait, for how long the call
	// is tried again after it, and the failure. If it is nil, the retry is logged.
	OnRetry func(next int, wait, left time.Duration, err error)
	// OnBroken, if set, allows another attempt after an answer that was broken when pieces of it were
	// delivered. It is called before OnRetry, on the calling goroutine, with the failure: the pieces so far
	// are no part of the answer, and those that follow belong to a new one. If it is nil, such a call fails.
	OnBroken func(err error)
	// Hurried means that a failed call is tried again only for [Retry.Hurried]: the caller can use
	// another model, or wants a result soon.
	Hurried bool

	// OnWaiting, if set, is told what the call waits for: when an attempt begins, while the server loads
	// the model, when it says how much of the prompt it has read, and when another call ends at the same
	// server. It may be called on the goroutine of another call, but not twice at a time, and not of another
	// call's end once the answer has begun, nor after this call has ended. Calls wait for it: it must not
	// block, nor make or end a call.
	OnWaiting func(Waiting)

	flight *flight // of the call that is made; nil before

	digest *[sha256.Size]byte // of the request as it was encoded, if that was computed
}

// ResponseFormat has a model answer with JSON. Schema is passed on unchanged; which parts of
// JSON Schema are understood depends on the provider. Strict nil leaves it to the provider.
type ResponseFormat struct {
	Name, Description string
	Schema            json.RawMessage
	Strict            *bool
}

// Append appends the members of the object in which OpenAI's dialects send the format.
func (f *ResponseFormat) Append(b []byte) []byte {
	b = wire.AppendString(append(b, `"name":`...), f.Name)
	if f.Description != "" {
		b = wire.AppendString(append(b, `,"description":`...), f.Description)
	}
	if f.Strict != nil {
		b = strconv.AppendBool(append(b, `,"strict":`...), *f.Strict)
	}
	return append(append(b, `,"schema":`...), f.Schema...)
}

// ModelAt returns the name of the model as e knows it.
func (r *Request) ModelAt(e *Endpoint) string {
	if e.WireModel != "" {
		return e.WireModel
	}
	return r.Model
}

// OutputLimit returns the bound on the answer's tokens at e, 0 for none.
func (r *Request) OutputLimit(e *Endpoint) int {
	if r.MaxOutputTokens != 0 {
		return r.MaxOutputTokens
	}
	return e.MaxOutputTokens
}

// initiator returns what caused the call.
func (r *Request) initiator() string {
	if r.Initiator != "" {
		return r.Initiator
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == RoleUser {
		return InitiatorUser
	}
	return InitiatorAgent
}

func (r *Request) hasImages() bool {
	for i := range r.Messages {
		for _, p := range r.Messages[i].Parts {
			if p.ImageURL != "" {
				return true
			}
		}
	}
	return false
}

// ownSize estimates how many bytes the request has as JSON, besides those that it shares, so that a dialect
// rarely copies the body as it grows.
func (r *Request) ownSize() int {
	n := 512
	for i := range r.Messages {
		m := &r.Messages[i]
		n += 96 + len(m.Content) + len(m.Content)/16
		for _, c := range m.ToolCalls {
			n += 128 + len(c.Arguments) + len(c.Arguments)/8
		}
		for _, p := range m.Reasoning {
			n += 64 + len(p.Text) + len(p.Text)/16 + len(p.Opaque)
		}
		for _, p := range m.Parts {
			n += 64 + len(p.Text) + len(p.ImageURL)
			if p.Document != nil {
				n += 128 + len(p.Document.Data)
			}
		}
	}
	for i := range r.Tools {
		if n += 128; r.Tools[i].encodings == nil {
			n += len(r.Tools[i].Description) + len(r.Tools[i].Parameters)
		}
	}
	if r.Format != nil {
		n += 96 + len(r.Format.Schema)
	}
	return n
}
