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

func answerElicitation(ctx context.Context, s *session.Session, p struct {
	RequestID string                 `json:"requestId"`
	Result    wire.ElicitationAnswer `json:"result"`
},
) (any, error) {
	return answered(s.Questions().AnswerElicitation(ctx, p.RequestID, p.Result))
}

func answerUserInput(ctx context.Context, s *session.Session, p struct {
	RequestID string               `json:"requestId"`
	Response  wire.UserInputAnswer `json:"response"`
},
) (any, error) {
	return answered(s.Questions().AnswerUserInput(ctx, p.RequestID, p.Response))
}

func answerPlan(ctx context.Context, s *session.Session, p struct {
	RequestID string          `json:"requestId"`
	Response  wire.PlanAnswer `json:"response"`
},
) (any, error) {
	return answered(s.Questions().AnswerPlan(ctx, p.RequestID, p.Response))
}

func answerSampling(ctx context.Context, s *session.Session, p struct {
	RequestID string          `json:"requestId"`
	Response  json.RawMessage `json:"response"`
},
) (any, error) {
	return answered(s.Questions().AnswerSampling(ctx, p.RequestID, p.Response))
}

func answerSwitch(ctx context.Context, s *session.Session, p struct {
	RequestID string            `json:"requestId"`
	Response  wire.SwitchAnswer `json:"response"`
},
) (any, error) {
	return answered(s.Questions().AnswerSwitch(ctx, p.RequestID, p.Response))
}

func answerLimit(ctx context.Context, s *session.Session, p struct {
	RequestID string           `json:"requestId"`
	Response  wire.LimitAnswer `json:"response"`
},
) (any, error) {
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
