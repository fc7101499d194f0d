package question

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
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
