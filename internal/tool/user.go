package tool

import (
	"context"
	"encoding/json"
	"errors"
)

// User is the user of the session, as tools ask them. The methods wait for an
// answer as long as it takes, or until ctx ends.
type User interface {
	// AskUser asks a question. It returns [ErrNobody] if no user is there to answer.
	AskUser(ctx context.Context, c Call, q Question) (UserAnswer, error)
	// AskForm asks the user to fill in a form. It returns [ErrNobody] if no user is there to
	// answer.
	AskForm(ctx context.Context, c Call, q FormQuestion) (FormAnswer, error)
	// ApprovePlan shows a plan. It returns [ErrNobody] if no user is there to decide. If
	// the user approves, the session has left plan mode when it returns.
	ApprovePlan(ctx context.Context, c Call, p Plan) (PlanAnswer, error)
}

// ErrNobody means that no user is there to answer.
var ErrNobody = errors.New("nobody is there who could answer")

// Question is what the model asks the user.
type Question struct {
	Text string
	// Choices are offered as answers; there may be none.
	Choices []string
	// Freeform allows an answer that is not one of the choices.
	Freeform bool
}

// UserAnswer is what the user answered; Freeform if it is not one of the choices.
type UserAnswer struct {
	Text     string
	Freeform bool
}

// FormQuestion is a form that the model asks the user to fill in.
type FormQuestion struct {
	Message string
	Schema  json.RawMessage // as [ParseForm] reads it
}

// FormAnswer is what the user did with a form: "accept", with the content as a JSON object
// that fits the schema, "decline" or "cancel".
type FormAnswer struct {
	Action  string
	Content json.RawMessage
}

// Plan is a plan that the user is asked to approve.
type Plan struct {
	Summary string
	// Actions are the ways to continue after an approval, at least one; Recommended is
	// the model's choice.
	Actions     []string
	Recommended string
}

// PlanAnswer is what the user decided.
type PlanAnswer struct {
	Approved bool
	Action   string // of the Plan's, if approved
	Feedback string // why not, or what else; may be empty
}
