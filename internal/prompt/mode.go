package prompt

import (
	_ "embed"
	"strings"
)

// Mode is the mode of a session, by the protocol's name. The zero value is [Interactive].
type Mode string

const (
	Interactive Mode = "interactive"
	Plan        Mode = "plan"
	Autopilot   Mode = "autopilot"
	Shell       Mode = "shell" // the model is not called
)

var (
	//go:embed sections/mode_plan.md
	planText string
	//go:embed sections/mode_autopilot.md
	autopilotText string
)

// text returns the text that a mode adds to the runtime instructions.
func (m Mode) text(e Env) string {
	switch m {
	case Plan:
		file := e.Plan
		if file == "" {
			file = "plan.md in the session's folder"
		}
		return strings.ReplaceAll(e.only(planText), "{plan}", file)
	case Autopilot:
		return e.only(autopilotText)
	}
	return ""
}
