package model

import (
	"bytes"
	"encoding/json"
)

// The request as it goes over the wire. The order of fields is the order of
// keys: providers cache prompts by prefix, so it must not change between calls.

type wireRequest struct {
	Model           string             `json:"model"`
	Messages        []wireMessage      `json:"messages"`
	Tools           []wireTool         `json:"tools,omitempty"`
	Stream          bool               `json:"stream,omitempty"`
	StreamOptions   *wireStreamOptions `json:"stream_options,omitempty"`
	MaxTokens       int                `json:"max_tokens,omitempty"`
	ReasoningEffort string             `json:"reasoning_effort,omitempty"`
}

type wireStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       Role           `json:"role"`
	Content    any            `json:"content"` // nil, string or []wirePart
	ToolCalls  []wireToolCall `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
}

type wirePart struct {
	Type     string     `json:"type"`
	Text     *string    `json:"text,omitempty"`
	ImageURL *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

type wireToolCall struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"`
	Function wireFunctionCall `json:"function"`
}

type wireFunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// noParameters is sent for a tool without a schema; providers insist on one.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// encode returns the body of one call. It fails only on a tool whose Parameters
// are not JSON.
func encode(e *Endpoint, r *Request) ([]byte, error) {
	w := wireRequest{
		Model:           r.modelAt(e),
		Messages:        make([]wireMessage, len(r.Messages)),
		Stream:          r.Stream,
		MaxTokens:       r.MaxOutputTokens,
		ReasoningEffort: r.ReasoningEffort,
	}
	if w.MaxTokens == 0 {
		w.MaxTokens = e.MaxOutputTokens
	}
	if r.Stream {
		w.StreamOptions = &wireStreamOptions{IncludeUsage: true}
	}
	for i := range r.Messages {
		w.Messages[i] = r.Messages[i].wire()
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, t.wire())
	}
	return marshal(&w)
}

// marshal is json.Marshal without the HTML escapes, which triple the size of
// markup in a prompt.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

func (r *Request) modelAt(e *Endpoint) string {
	if e.WireModel != "" {
		return e.WireModel
	}
	return r.Model
}

func (m *Message) wire() wireMessage {
	w := wireMessage{Role: m.Role, Content: m.content(), ToolCallID: m.ToolCallID}
	for _, c := range m.ToolCalls {
		w.ToolCalls = append(w.ToolCalls, wireToolCall{
			ID: c.ID, Type: "function",
			Function: wireFunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
	}
	return w
}

// content is null only beside tool calls: elsewhere providers want a string, and
// of a tool's result they take nothing else.
func (m *Message) content() any {
	switch {
	case m.Parts != nil:
		return wireParts(m.Parts)
	case m.Content == "" && len(m.ToolCalls) > 0:
		return nil
	}
	return m.Content
}

func wireParts(parts []Part) []wirePart {
	w := make([]wirePart, len(parts))
	for i := range parts {
		if parts[i].ImageURL != "" {
			w[i] = wirePart{Type: "image_url", ImageURL: &wireImage{parts[i].ImageURL}}
			continue
		}
		w[i] = wirePart{Type: "text", Text: &parts[i].Text}
	}
	return w
}

func (t Tool) wire() wireTool {
	params := t.Parameters
	if len(params) == 0 {
		params = noParameters
	}
	return wireTool{Type: "function", Function: wireFunction{t.Name, t.Description, params}}
}
