package ask

import "context"

// limited is the parameters of autoModeSwitch.request, and onward its result.
type limited struct {
	Code string `json:"errorCode"`
}

type onward struct {
	Response string `json:"response"` // "yes", "yes_always" or "no"
}

// modelSwitch asks whether a run that a rate limit has stopped continues on another model.
func (a *Asker) modelSwitch(ctx context.Context, _ limited) (onward, error) {
	a.Discard()
	a.question("The rate limit of this model is used up. Continue on another model?")
	for {
		word, _, err := a.choice(ctx, "[y] yes  [a] yes, always in this session  [n] no › ")
		if err != nil {
			return onward{}, err
		}
		switch word {
		case "y", "yes":
			return onward{"yes"}, nil
		case "a", "always":
			return onward{"yes_always"}, nil
		case "n", "no":
			return onward{"no"}, nil
		}
	}
}
