package model

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
)

// What a confirmation of an agent is as a tool call: its tool, and the results that
// are decisions. Any other result means that the confirmation is void: nothing of it
// is told to the agent.
const (
	ConfirmationTool = "copilot_confirmation"
	Accepted         = "accepted"
	Dismissed        = "dismissed" // perhaps followed by a colon and why
)

// Confirmation is the arguments of a call of [ConfirmationTool].
type Confirmation struct {
	Title   string `json:"title"`
	Message string `json:"message"` // Markdown
	// Data is the JSON text that goes back with the decision. It is text, for what is
	// sent back must be what came, byte for byte: an agent may have signed it, and in
	// JavaScript there is no other way to keep a long number. nil: there is none.
	Data *string `json:"confirmation,omitempty"`
}

// agentRequest is the conversation as an agent is sent it: what people and the agent
// have said, with what they referred to. A decision is told once, as the last message;
// earlier ones and what was said around them without words are left out, so that none
// can be taken for a new one. held are confirmations that come after the one decided.
func agentRequest(ep Endpoint, req *Request) (r *extension.Request, held []Confirmation, err error) {
	r = &extension.Request{ThreadID: req.Thread, Token: ep.BearerToken, Header: http.Header{}}
	overlay(r.Header, ep.Headers)
	overlay(r.Header, req.Headers)
	if err := checkHeader(r.Header); err != nil {
		return nil, nil, err
	}
	for _, m := range req.Messages {
		if m.Role != RoleUser && m.Role != RoleAssistant || m.Content == "" && m.References == nil {
			continue
		}
		said := extension.Message{Role: string(m.Role), Content: m.Content}
		if said.References, err = parseReferences(m.References); err != nil {
			return nil, nil, err
		}
		r.Messages = append(r.Messages, said)
	}
	n := len(req.Messages)
	if n == 0 || req.Messages[n-1].Role == RoleAssistant {
		return nil, nil, errNothingSaid
	}
	if req.Messages[n-1].Role == RoleTool {
		d, asked, err := decision(req.Messages)
		if err != nil {
			return nil, nil, err
		}
		r.Messages = append(r.Messages, extension.Message{Role: string(RoleUser), Decisions: []extension.Decision{d}})
		if asked.Later != nil {
			err = json.Unmarshal(asked.Later, &held)
		}
		return r, held, err
	}
	return r, nil, nil
}

// decision reads what was decided last, and returns the message that had asked.
func decision(messages []Message) (d extension.Decision, asked Message, err error) {
	last := messages[len(messages)-1]
	switch state, _, _ := strings.Cut(last.Content, ":"); state {
	case Accepted:
		d.Accepted = true
	case Dismissed:
	default:
		return d, asked, errNothingSaid
	}
	for i := len(messages) - 2; i >= 0; i-- {
		for _, c := range messages[i].ToolCalls {
			if c.ID == last.ToolCallID {
				var of Confirmation
				if err := json.Unmarshal([]byte(c.Arguments), &of); err != nil {
					return d, asked, err
				}
				if of.Data != nil {
					d.Data = json.RawMessage(*of.Data)
				}
				return d, messages[i], nil
			}
		}
	}
	return d, asked, errNothingSaid
}

// parseReferences reads a list of references, as package extension reads those of a
// message.
func parseReferences(list json.RawMessage) ([]extension.Reference, error) {
	if list == nil {
		return nil, nil
	}
	body := append(append([]byte(`{"messages":[{"role":"user","copilot_references":`), list...), "}]}"...)
	r, err := extension.ParseRequest(body)
	if err != nil || len(r.Messages) != 1 {
		return nil, err
	}
	return r.Messages[0].References, nil
}
