package extensions

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// A confirmation that an agent asks for is a call of this tool, and its result is one of
// the two decisions. Any other result means that the confirmation is void: the agent
// hears nothing of it.
const (
	ConfirmationTool = fact.Confirmation
	Accepted         = "accepted"
	Dismissed        = "dismissed" // perhaps followed by a colon and the reason
)

// Confirmation is the arguments of a call of [ConfirmationTool].
type Confirmation struct {
	Title   string `json:"title"`
	Message string `json:"message"` // Markdown
	// Data is the JSON text that goes back with the decision. It is kept as text because
	// it must go back byte for byte: an agent may have signed it, and JavaScript has no
	// other way to keep a long number. nil: there is none.
	Data *string `json:"confirmation,omitempty"`
}

// errNothingToAnswer is a conversation that ends with nothing that an agent could answer.
var errNothingToAnswer = errors.New("there is nothing to answer: the conversation ends with neither a message nor a decision")

// conversation is a request as an agent gets it: what the user and the agent have said,
// with their references. A decision is sent once, as the last message. An earlier one that
// the agent has answered becomes a short text of the user, so that it is not taken for a new
// one, and the agent's model does not find two answers in a row. Other messages without text
// are left out. held are confirmations that come after the one decided.
func conversation(ep *model.Endpoint, req *model.Request) (r *extension.Request, held []Confirmation, err error) {
	r = &extension.Request{ThreadID: req.Thread, Agent: slugOf(ep.BaseURL), Token: ep.BearerToken, Header: http.Header{}}
	model.Overlay(r.Header, ep.Headers)
	model.Overlay(r.Header, req.Headers)
	if err := model.CheckHeader(r.Header); err != nil {
		return nil, nil, err
	}
	for i, m := range req.Messages {
		if m.Role == model.RoleTool && i+1 < len(req.Messages) && req.Messages[i+1].Role == model.RoleAssistant {
			if d, asked, err := decision(req.Messages[:i+1]); err == nil {
				r.Messages = append(r.Messages, extension.Message{Role: string(model.RoleUser), Content: extension.DecisionText(asked.Title, d.Accepted)})
			}
			continue
		}
		if m.Role != model.RoleUser && m.Role != model.RoleAssistant || m.Content == "" && m.References == nil {
			continue
		}
		message := extension.Message{Role: string(m.Role), Content: m.Content}
		if message.References, err = parseReferences(m.References); err != nil {
			return nil, nil, err
		}
		r.Messages = append(r.Messages, message)
	}
	n := len(req.Messages)
	if n == 0 || req.Messages[n-1].Role == model.RoleAssistant {
		return nil, nil, errNothingToAnswer
	}
	if req.Messages[n-1].Role == model.RoleTool {
		d, asked, err := decision(req.Messages)
		if err != nil {
			return nil, nil, err
		}
		r.Messages = append(r.Messages, extension.Message{Role: string(model.RoleUser), Decisions: []extension.Decision{d}})
		if asked.later != nil {
			err = fault.JSON(json.Unmarshal(asked.later, &held))
		}
		return r, held, err
	}
	return r, nil, nil
}

// question is what a decision was about.
type question struct {
	Confirmation
	later json.RawMessage // the confirmations that the agent asked for in the same answer
}

// decision reads the last message as a decision, and finds what it was about.
func decision(messages []model.Message) (d extension.Decision, asked question, err error) {
	last := messages[len(messages)-1]
	switch state, _, _ := strings.Cut(last.Content, ":"); state {
	case Accepted:
		d.Accepted = true
	case Dismissed:
	default:
		return d, asked, errNothingToAnswer
	}
	for i := len(messages) - 2; i >= 0; i-- {
		for _, c := range messages[i].ToolCalls {
			if c.ID == last.ToolCallID {
				asked.later = messages[i].Later
				if err := json.Unmarshal([]byte(c.Arguments), &asked.Confirmation); err != nil {
					return d, asked, fault.JSON(err)
				}
				if asked.Data != nil {
					d.Data = json.RawMessage(*asked.Data)
				}
				return d, asked, nil
			}
		}
	}
	return d, asked, errNothingToAnswer
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
