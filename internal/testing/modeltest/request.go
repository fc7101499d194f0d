package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Request is a model call as the server saw it.
type Request struct {
	Path   string
	Header http.Header
	Raw    []byte // the body

	Model           string
	Stream          bool
	MaxTokens       int
	ReasoningEffort string
	Messages        []Message
	Tools           []string // names, in order

	usage bool             // asked for a usage chunk
	wire  []requestMessage // Messages as they came
}

// Message is one message of a [Request]. Content of several parts is joined by
// newlines, an image counting as "[image]".
type Message struct {
	Role, Content string
	ToolCalls     []ToolCall
	ToolCallID    string
}

// Last returns the last message, the zero Message if there is none.
func (r *Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

type wireRequest struct {
	Model         string           `json:"model"`
	Stream        bool             `json:"stream"`
	MaxTokens     int              `json:"max_tokens"`
	Effort        string           `json:"reasoning_effort"`
	Messages      []requestMessage `json:"messages"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// requestMessage is a message on the wire.
type requestMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// parseRequest reads a body that must have a model and messages.
func parseRequest(r *http.Request, body []byte) (*Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fault.JSON(err)
	}
	if w.Model == "" || w.Messages == nil {
		return nil, fmt.Errorf("a request needs a model and messages")
	}
	req := &Request{
		Path: r.URL.RequestURI(), Header: r.Header.Clone(), Raw: body,
		Model: w.Model, Stream: w.Stream, MaxTokens: w.MaxTokens,
		ReasoningEffort: w.Effort, usage: w.StreamOptions.IncludeUsage, wire: w.Messages,
	}
	for _, t := range w.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	for _, m := range w.Messages {
		req.Messages = append(req.Messages, m.message())
	}
	return req, nil
}

func (m *requestMessage) message() Message {
	msg := Message{Role: m.Role, ToolCallID: m.ToolCallID}
	msg.Content = strings.Join(m.texts(), "\n")
	for _, c := range m.ToolCalls {
		msg.ToolCalls = append(msg.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return msg
}

// texts returns the text parts of a message, images as "[image]", others left
// out. A string is one part; null and "" are none.
func (m *requestMessage) texts() []string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(m.Content, &parts) // anything else has no text
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			texts = append(texts, "[image]")
		}
	}
	return texts
}
