package tool

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var askUserDefinition = described{name: fact.AskUser}

type askUser struct{ user User }

// AskUser is the tool ask_user.
func AskUser(u User) Tool { return askUser{u} }

func (t askUser) Definition() Definition { return askUserDefinition.Get() }

func (t askUser) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		Question string   `json:"question"`
		Choices  []string `json:"choices"`
		Freeform *bool    `json:"allow_freeform"`
	}](c)
	if bad != nil {
		return *bad
	}
	if args.Question == "" {
		return failure("The question is empty. Call ask_user again with a question.")
	}
	free := args.Freeform == nil || *args.Freeform || len(args.Choices) == 0
	a, err := t.user.AskUser(ctx, c, Question{Text: args.Question, Choices: args.Choices, Freeform: free})
	switch {
	case err != nil || ctx.Err() != nil:
		return unanswered(ctx, err)
	case a.Freeform:
		return success("User responded: " + a.Text)
	}
	return success("User selected: " + a.Text)
}

// unanswered is the result of a question that the user has not answered.
func unanswered(ctx context.Context, err error) Result {
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case errors.Is(err, ErrNobody):
		return failure("Nobody is there to answer. Decide yourself what fits best, and say in your answer what you assumed.")
	}
	return failure("The user could not be asked: %v. Go on without an answer, and say what you assumed.", err)
}
