package tool

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var askFormDefinition = described{name: fact.AskUser, files: "ask_form"}

type askForm struct{ user User }

// AskForm is the tool ask_user in another shape: the model asks with a form. It has the same
// name, so that rules and filters cover both; a session offers one of them.
func AskForm(u User) Tool { return askForm{u} }

func (t askForm) Definition() Definition { return askFormDefinition.Get() }

func (t askForm) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}](c)
	if bad != nil {
		return *bad
	}
	if args.Message == "" {
		return failure("The message is empty. Call ask_user again with a message.")
	}
	if _, err := ParseForm(args.Schema); err != nil {
		return failure("The user was not asked: %v. Call ask_user again with another form.", err)
	}
	a, err := t.user.AskForm(ctx, c, FormQuestion{Message: args.Message, Schema: args.Schema})
	switch {
	case err != nil || ctx.Err() != nil:
		return unanswered(ctx, err)
	case a.Action == "accept":
		return success("User responded: " + string(a.Content))
	case a.Action == "decline":
		return success("The user declined to answer. Do not ask the same again; decide yourself, or end your answer here.")
	}
	return success("The user closed the question without an answer. Go on without one, and say what you assumed.")
}
