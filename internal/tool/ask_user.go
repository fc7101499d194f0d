package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
)

// AskUserName is what the model calls to ask its user.
const AskUserName = "ask_user"

//go:embed ask_user.md
var askUserText string

const askUserSchema = `{"type":"object","properties":{` +
	`"question":{"type":"string","description":"The question, complete in itself."},` +
	`"choices":{"type":"array","items":{"type":"string"},"description":"Answers to choose from, best first. Leave out if the answer is open."},` +
	`"allow_freeform":{"type":"boolean","description":"Whether an answer that is none of the choices is welcome. Default true."}` +
	`},"required":["question"],"additionalProperties":false}`

type askUser struct{ person Person }

// AskUser is the tool ask_user.
func AskUser(p Person) Tool { return askUser{p} }

func (t askUser) Definition() Definition {
	return Definition{
		Name: AskUserName, Description: askUserText, Parameters: json.RawMessage(askUserSchema),
		Source: Builtin, Trusted: true, Repeatable: true,
	}
}

func (t askUser) Run(ctx context.Context, c Call) Result {
	var args struct {
		Question string   `json:"question"`
		Choices  []string `json:"choices"`
		Freeform *bool    `json:"allow_freeform"`
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return Failed("The question cannot be read: %v.", err)
	}
	if args.Question == "" {
		return Failed("The question is empty. Call ask_user again with a question.")
	}
	free := args.Freeform == nil || *args.Freeform || len(args.Choices) == 0
	a, err := t.person.AskUser(ctx, c, Question{Text: args.Question, Choices: args.Choices, Freeform: free})
	switch {
	case ctx.Err() != nil:
		return Result{Outcome: Interrupted, Text: TextInterrupted}
	case errors.Is(err, ErrNobody):
		return Failed("Nobody is there to answer. Decide yourself what fits best, and say in your answer what you assumed.")
	case err != nil:
		return Failed("The user could not be asked: %v. Go on without an answer, and say what you assumed.", err)
	case a.Freeform:
		return Result{Outcome: Success, Text: "User responded: " + a.Text}
	}
	return Result{Outcome: Success, Text: "User selected: " + a.Text}
}

// Failed is the result of a call that did not work, in words for the model: what
// failed, on what, why, and what to do next.
func Failed(format string, args ...any) Result {
	return Result{Outcome: Failure, Text: fmt.Sprintf(format, args...)}
}
