package question

import (
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Of returns the question that a call of the session puts to the user; nil if a terminal does not
// answer the method. Permission requests and forms are no calls, but events.
func Of(method string, params json.RawMessage) (*Question, error) {
	switch method {
	case "userInput.request":
		return decoded(params, ofInput)
	case "exitPlanMode.request":
		return decoded(params, ofPlan)
	case "autoModeSwitch.request":
		return decoded(params, ofSwitch)
	}
	return nil, nil
}

// Answers reports whether a terminal answers a method which sessions call on their clients.
func Answers(method string) bool {
	q, err := Of(method, json.RawMessage("{}"))
	return q != nil && err == nil
}

// decoded decodes the parameters of the method for the function that makes the question.
func decoded[P any](params json.RawMessage, make func(P) *Question) (*Question, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fault.New(fault.Invalid, "terminal", "", "the parameters: %w", fault.JSON(err))
	}
	return make(p), nil
}

// limited is the parameters of autoModeSwitch.request, and onward its result.
type limited struct {
	Code string `json:"errorCode"`
}

type onward struct {
	Response wire.SwitchAnswer `json:"response"`
}

// ofSwitch is the question whether a run that a rate limit has stopped continues on another model.
func ofSwitch(limited) *Question {
	answer := func(r wire.SwitchAnswer) func(string) Answer { return always(Answer{Reply: onward{r}}) }
	return &Question{
		Kind: Switch, Heading: "The rate limit of this model is used up. Continue on another model?",
		Options: []Option{
			{Key: "y", Words: []string{"yes"}, Text: "yes", Allows: true, answer: answer(wire.SwitchYes)},
			{Key: "a", Words: []string{"always"}, Text: "yes, always in this session", Allows: true, answer: answer(wire.SwitchAlways)},
			{Key: "n", Words: []string{"no"}, Text: "no", answer: answer(wire.SwitchNo)},
		},
	}
}

// userInput is the parameters of userInput.request. Its result is a [wire.UserInputAnswer].
type userInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
	Freeform *bool    `json:"allowFreeform"` // absent is yes
}

// ofInput is a question of the model.
func ofInput(p userInput) *Question {
	q := &Question{Kind: Input, Source: "the model", Heading: strings.TrimSpace(timeline.Harmless(p.Question))}
	for i, c := range p.Choices {
		q.Options = append(q.Options, Option{Number: i + 1, Text: exposed(c), Allows: true, answer: always(Answer{Reply: wire.UserInputAnswer{Answer: c}})})
	}
	if p.Freeform != nil && !*p.Freeform && len(p.Choices) > 0 {
		return q
	}
	q.own = func(text string) Answer {
		return Answer{Reply: wire.UserInputAnswer{Answer: text, WasFreeform: true}}
	}
	q.Options = append(q.Options, Option{Text: "in your own words", Prompt: "answer", Needs: true, answer: q.own})
	return q
}

// oneLine is text of a model in one harmless line of any length.
func oneLine(text string) string { return strings.Join(strings.Fields(timeline.Harmless(text)), " ") }
