package prompt

import (
	_ "embed"
	"strings"
)

// Mode is how a session works, in the protocol's words. The zero value is
// [Interactive].
type Mode string

const (
	Interactive Mode = "interactive"
	Plan        Mode = "plan"
	Autopilot   Mode = "autopilot"
	Shell       Mode = "shell" // the model is not asked
)

var (
	//go:embed sections/mode_plan.md
	planText string
	//go:embed sections/mode_autopilot.md
	autopilotText string
)

// text is what a mode adds to the runtime instructions.
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
