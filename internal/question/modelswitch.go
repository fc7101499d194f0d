package question

import "github.com/sidestick-dev/sidestick/internal/wire"

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
