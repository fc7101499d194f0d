package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The methods about questions to the user: those that ask, and the answers.

// elicit asks the user on behalf of a program. It returns when a client has answered.
func elicit(ctx context.Context, s *session.Session, p wire.Elicitation) (any, error) {
	switch {
	case p.Mode != "" && p.Mode != string(wire.ElicitationForm) && p.Mode != string(wire.ElicitationURL):
		return nil, fault.New(fault.Invalid, "", "", "mode is %q, want %q or %q", fault.Bounded(p.Mode), wire.ElicitationForm, wire.ElicitationURL)
	case p.Mode == string(wire.ElicitationURL) && p.URL == "":
		return nil, missing("url")
	case p.Mode != string(wire.ElicitationURL) && p.URL != "":
		return nil, fault.New(fault.Invalid, "", "", "url is for the mode %q", wire.ElicitationURL)
	case p.URL == "" && p.RequestedSchema == nil:
		return nil, missing("requestedSchema")
	}
	a, err := s.Questions().Elicit(ctx, approval.Elicitation{Message: p.Message, Schema: p.RequestedSchema, URL: p.URL})
	if errors.Is(err, tool.ErrNobody) {
		return nil, &fault.Error{
			Op: "session.ui.elicitation", On: s.ID(), Kind: fault.Unavailable, Hint: "create or resume the session with requestElicitation in a client that can ask its user",
			Err: errors.New("elicitation is not supported: no attached client answers it"),
		}
	}
	return a, err
}

type elicitationAnswered struct {
	RequestID string                 `json:"requestId"`
	Result    wire.ElicitationAnswer `json:"result"`
}

func answerElicitation(ctx context.Context, s *session.Session, p elicitationAnswered) (any, error) {
	return answered(s.Questions().AnswerElicitation(ctx, p.RequestID, p.Result))
}

type userInputAnswered struct {
	RequestID string `json:"requestId"`
	Response  struct {
		Answer      *string `json:"answer"`
		WasFreeform bool    `json:"wasFreeform"`
	} `json:"response"`
}

func (p *userInputAnswered) unfit() error {
	if p.Response.Answer == nil { // an answer that is not there is not an empty one
		return missing("response.answer")
	}
	return nil
}

func answerUserInput(ctx context.Context, s *session.Session, p userInputAnswered) (any, error) {
	return answered(s.Questions().AnswerUserInput(ctx, p.RequestID, wire.UserInputAnswer{Answer: *p.Response.Answer, WasFreeform: p.Response.WasFreeform}))
}

type planAnswered struct {
	RequestID string          `json:"requestId"`
	Response  wire.PlanAnswer `json:"response"`
}

func answerPlan(ctx context.Context, s *session.Session, p planAnswered) (any, error) {
	return answered(s.Questions().AnswerPlan(ctx, p.RequestID, p.Response))
}

type samplingAnswered struct {
	RequestID string          `json:"requestId"`
	Response  json.RawMessage `json:"response"`
}

func (p *samplingAnswered) unfit() error {
	var result struct {
		Role    string          `json:"role"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	}
	if len(p.Response) == 0 || string(p.Response) == "null" { // the client refuses
		return nil
	}
	if err := fault.DecodeObject(p.Response, &result); err != nil {
		return fault.New(fault.Invalid, "", "", "response cannot be read as a result of sampling/createMessage: %w", err)
	}
	if len(result.Content) == 0 || result.Content[0] != '{' && result.Content[0] != '[' {
		return fault.New(fault.Invalid, "", "", "response.content is missing, or is not an object or a list")
	}
	return nil
}

func answerSampling(ctx context.Context, s *session.Session, p samplingAnswered) (any, error) {
	return answered(s.Questions().AnswerSampling(ctx, p.RequestID, p.Response))
}

type switchAnswered struct {
	RequestID string            `json:"requestId"`
	Response  wire.SwitchAnswer `json:"response"`
}

func answerSwitch(ctx context.Context, s *session.Session, p switchAnswered) (any, error) {
	return answered(s.Questions().AnswerSwitch(ctx, p.RequestID, p.Response))
}

type limitAnswered struct {
	RequestID string           `json:"requestId"`
	Response  wire.LimitAnswer `json:"response"`
}

func answerLimit(ctx context.Context, s *session.Session, p limitAnswered) (any, error) {
	return answered(s.Questions().AnswerLimit(ctx, p.RequestID, p.Response))
}

// handleSwitches returns a handle; until it is given back, questions about a switch of the
// model are events only, which the client answers.
func handleSwitches(ctx context.Context, _ *conn, a *attachment, _ none) (any, error) {
	handle, err := a.client.HandleSwitches(ctx)
	return wire.Interested{Handle: handle}, err
}

func stopHandlingSwitches(ctx context.Context, s *session.Session, p struct {
	Handle string `json:"handle"`
},
) (any, error) {
	ok, err := s.Questions().StopHandlingSwitches(ctx, p.Handle)
	return struct {
		Unregistered bool `json:"unregistered"`
	}{ok}, err
}

// ephemeralQuery answers a question from the conversation without adding to it.
func ephemeralQuery(ctx context.Context, _ *conn, a *attachment, p struct {
	Question string `json:"question"`
},
) (any, error) {
	if p.Question == "" {
		return nil, missing("question")
	}
	answer, err := a.client.EphemeralQuery(ctx, p.Question)
	return struct {
		Answer string `json:"answer"`
	}{answer}, err
}
