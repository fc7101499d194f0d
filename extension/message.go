package extension

import (
	"encoding/json"
	"net/http"
)

// Request is one message of a user to an agent, with the conversation before it.
type Request struct {
	// ThreadID identifies the chat. Clients that follow the protocol send the same id with
	// each request of a chat; some make a new one each time. May be empty.
	ThreadID string
	// Messages is the conversation so far. The last message is the one to answer.
	Messages []Message
	// Agent is the slug of the called agent. May be empty.
	Agent string
	// Rest holds all other fields of the body as raw JSON: model, max_tokens, client_id and
	// any that are added later. [Request.MarshalJSON] writes them unchanged.
	Rest map[string]json.RawMessage
	// Token is the user's token (X-GitHub-Token), empty for none. It is a secret: do not log
	// or store it.
	Token string
	// Header has the headers of the HTTP request. In an agent these are all headers that
	// arrived; a platform sets those to send in addition to its own.
	Header http.Header
}

// Message is one message of a conversation.
type Message struct {
	Role    string // user, assistant, system, tool or function
	Name    string // "_session" for the data of the platform about the user
	Content string // if there are several parts, their texts joined
	// References are the files, selections and repositories sent with the message. In the
	// agent's own messages they are the references of its earlier answers.
	References []Reference
	// Decisions are the user's decisions on confirmations.
	Decisions []Decision
	// ToolCalls and ToolCallID belong to tool calls of the agent's own model, in histories
	// that a client passes on.
	ToolCalls  []ToolCall
	ToolCallID string
	// Rest holds all other fields as raw JSON.
	Rest map[string]json.RawMessage
}

// Reference is a source of a message or an answer, such as a file.
type Reference struct {
	// Type is the vendor's name and a kind, such as "client.file" or "blackbeard.story".
	// Required.
	Type string
	// ID is unique within an answer. Required in answers.
	ID string
	// Data is a JSON object with enough information to find the source again; nil for none.
	Data json.RawMessage
	// Implicit is true if the client added the reference without a choice of the user.
	Implicit bool
	// Metadata says how clients show the reference. Without a DisplayName they do not show
	// it.
	Metadata Metadata
	// Rest holds all other fields as raw JSON.
	Rest map[string]json.RawMessage
}

// Metadata says how a [Reference] is shown to users.
type Metadata struct {
	DisplayName string // required for the reference to be shown
	DisplayIcon string
	DisplayURL  string
}

// Confirmation asks the user to accept or dismiss an action.
type Confirmation struct {
	Title   string // required
	Message string // required; Markdown
	// Data comes back with the decision, byte for byte, by way of the client: sign it, or
	// store the details and send only an id. A JSON object with an "id" works with all
	// clients.
	Data json.RawMessage
}

// Decision is a user's decision on a [Confirmation].
type Decision struct {
	Accepted bool
	// Data is the Data of the confirmation; nil if it had none.
	Data json.RawMessage
}

// Fault is one entry of copilot_errors: an error that the user should know of.
type Fault struct {
	// Type is [FaultReference], [FaultFunction] or [FaultAgent].
	Type string
	// Code is the agent's own code for the error.
	Code string
	// Message is shown to the user.
	Message string
	// Identifier names the reference or function call that the error is about.
	Identifier string
}

// The types of a [Fault].
const (
	FaultReference = "reference"
	FaultFunction  = "function"
	FaultAgent     = "agent"
)

// ToolCall is a model's request to call a function, in OpenAI's format.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text
}
