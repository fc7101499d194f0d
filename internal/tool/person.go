package tool

import (
	"context"
	"errors"
)

// Person is who the session works for, as tools reach them. Both methods wait for
// an answer as long as it takes, or until ctx ends.
type Person interface {
	// AskUser asks a question. [ErrNobody] if nobody is there who could answer.
	AskUser(ctx context.Context, c Call, q Question) (UserAnswer, error)
	// ApprovePlan shows a plan. [ErrNobody] if nobody is there who could decide. With
	// an approval the session has left plan mode when it returns.
	ApprovePlan(ctx context.Context, c Call, p Plan) (PlanAnswer, error)
}

// ErrNobody says that nobody is there who could answer.
var ErrNobody = errors.New("nobody is there who could answer")

// Question is what an agent wants to know of a person.
type Question struct {
	Text string
	// Choices are offered; may be empty.
	Choices []string
	// Freeform allows an answer that is none of the choices.
	Freeform bool
}

// UserAnswer is what the person said; Freeform if it is none of the choices.
type UserAnswer struct {
	Text     string
	Freeform bool
}

// Plan is a plan that a person is to approve.
type Plan struct {
	Summary string
	// Actions are how it may go on after an approval, at least one; Recommended is
	// the agent's choice.
	Actions     []string
	Recommended string
}

// PlanAnswer is what the person decided.
type PlanAnswer struct {
	Approved bool
	Action   string // of the Plan's, if approved
	Feedback string // why not, or what else; may be empty
}
