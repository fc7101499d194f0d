package extension

import (
	"encoding/json"
	"net/http"
)

// Request is one turn of a conversation, from the platform to the agent.
type Request struct {
	// ThreadID is the same for all turns of one chat, of clients that keep to the
	// protocol; some make a new one each time. May be empty.
	ThreadID string
	// Messages is the conversation so far; the last is the one to answer.
	Messages []Message
	// Agent is the slug of the agent called; may be empty.
	Agent string
	// Rest is every other field of the body, as it came: model, max_tokens,
	// client_id and whatever comes later. It is sent as it is.
	Rest map[string]json.RawMessage
	// Token is the person's token (X-GitHub-Token), empty for none. It is a secret:
	// neither log it nor keep it.
	Token string
	// Header is that of the HTTP request, for the agent; the platform's additions to
	// it otherwise.
	Header http.Header
}

// Message is one message of a conversation.
type Message struct {
	Role    string // user, assistant, system, tool or function
	Name    string // "_session" for what the platform says about the person
	Content string // of several parts, their texts joined
	// References are what the message was sent with: files, selections, repositories,
	// and those of the agent's own earlier answers.
	References []Reference
	// Decisions are answers to confirmations.
	Decisions []Decision
	// ToolCalls and ToolCallID belong to an agent's own calls in relayed histories.
	ToolCalls  []ToolCall
	ToolCallID string
	// Rest is every other field, as it came.
	Rest map[string]json.RawMessage
}

// Reference is something that a message or an answer refers to.
type Reference struct {
	// Type is the vendor's word and a kind, such as "client.file" or
	// "blackbeard.story". Required.
	Type string
	// ID is unique within an answer. Required in answers.
	ID string
	// Data is a JSON object that is enough to find the thing again; nil for none.
	Data json.RawMessage
	// Implicit is true of what the person did not choose.
	Implicit bool
	// Metadata is how it is shown. Without a display name it is not.
	Metadata Metadata
	// Rest is every other field, as it came.
	Rest map[string]json.RawMessage
}

// Metadata is how a [Reference] is shown to people.
type Metadata struct {
	DisplayName string // required to be shown
	DisplayIcon string
	DisplayURL  string
}

// Confirmation asks a person for a yes or a no.
type Confirmation struct {
	Title   string // required
	Message string // required; Markdown
	// Data comes back with the decision, byte for byte, by way of the client: sign it,
	// or keep what it stands for and send an id. A JSON object that is not empty, with
	// an "id", suits all clients.
	Data json.RawMessage
}

// Decision is a person's answer to a [Confirmation].
type Decision struct {
	Accepted bool
	// Data is that of the confirmation; nil if it had none.
	Data json.RawMessage
}

// Fault is one entry of copilot_errors: something that went wrong and the person
// should know of.
type Fault struct {
	// Type is [FaultReference], [FaultFunction] or [FaultAgent].
	Type string
	// Code is the agent's own word for what went wrong.
	Code string
	// Message is shown to the person.
	Message string
	// Identifier says which reference or function call it is about.
	Identifier string
}

// The types of a [Fault].
const (
	FaultReference = "reference"
	FaultFunction  = "function"
	FaultAgent     = "agent"
)

// ToolCall is a model's wish to have a function called, in OpenAI's form.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text
}
