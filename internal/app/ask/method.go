package ask

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Answers returns the function that answers a method which sessions call on their
// clients, nil if a terminal does not answer it.
func Answers(method string) func(*Asker, context.Context, json.RawMessage) (any, error) {
	switch method {
	case "userInput.request":
		return decoded((*Asker).userInput)
	case "exitPlanMode.request":
		return decoded((*Asker).exitPlan)
	case "autoModeSwitch.request":
		return decoded((*Asker).modelSwitch)
	}
	return nil
}

// decoded decodes the parameters of the method for the function that answers it.
func decoded[P, R any](answer func(*Asker, context.Context, P) (R, error)) func(*Asker, context.Context, json.RawMessage) (any, error) {
	return func(a *Asker, ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fault.New(fault.Invalid, "terminal", "", "the parameters: %w", fault.JSON(err))
		}
		return answer(a, ctx, p)
	}
}
