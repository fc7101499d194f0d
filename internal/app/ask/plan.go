package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// planDone is the parameters of exitPlanMode.request, and planVerdict its result.
type planDone struct {
	Summary     string   `json:"summary"`
	Plan        string   `json:"planContent"`
	Actions     []string `json:"actions"`
	Recommended string   `json:"recommendedAction"`
}

type planVerdict struct {
	Approved bool   `json:"approved"`
	Action   string `json:"selectedAction,omitempty"`
	Feedback string `json:"feedback,omitempty"`
}

// actions describes the ways to go on after a plan, by their names in the protocol.
var actions = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"interactive":     "go ahead, and ask before anything that needs approval",
		"autopilot":       "go ahead on autopilot, until it is done",
		"autopilot_fleet": "go ahead on autopilot, with several agents",
		"exit_only":       "leave plan mode, and wait for me",
	}
}}

// exitPlan prints a plan and asks how to go on.
func (a *Asker) exitPlan(ctx context.Context, p planDone) (planVerdict, error) {
	a.Discard()
	width, rows := a.Size()
	s := a.layout()
	text := p.Plan
	if strings.TrimSpace(text) == "" {
		text = p.Summary
	}
	for line := range strings.Lines(timeline.Harmless(text)) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), width-2) {
			s.add("  " + row)
		}
	}
	fits := rows - len(p.Actions)
	a.question("The plan:")
	d := a.details(s.rows, width, fits)
	_, _ = io.WriteString(a, d.preview()+"\n")
	var choices []string
	for _, name := range p.Actions {
		text := name
		if known := actions.Get()[name]; known != "" {
			text = known
		}
		if name == p.Recommended {
			text += " (recommended)"
		}
		choices = append(choices, text)
	}
	return a.planChoice(ctx, p, choices, d)
}

// planChoice asks how to go on until the user has chosen.
func (a *Asker) planChoice(ctx context.Context, p planDone, choices []string, plan *details) (planVerdict, error) {
	for {
		a.list(choices)
		line, err := a.ReadLine(ctx, "a number, or what to change in the plan › ", a.Look.Bold)
		if err != nil {
			return planVerdict{}, err
		}
		line = strings.TrimSpace(line)
		chosen := pick(choices, line)
		yes := (line == "y" || line == "yes") && (p.Recommended != "" || len(p.Actions) == 0)
		switch {
		case line == "v" || line == "view":
			plan.view()
		case (chosen >= 0 || yes) && !plan.read(): // it has said what to do
		case chosen >= 0:
			return planVerdict{Approved: true, Action: p.Actions[chosen]}, nil
		case yes:
			return planVerdict{Approved: true, Action: p.Recommended}, nil
		case line == "n" || line == "no":
			why, err := a.refusal(ctx, "")
			return planVerdict{Feedback: why.Feedback}, err
		case line != "":
			return planVerdict{Feedback: line}, nil
		}
	}
}
