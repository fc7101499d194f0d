package question

import (
	"cmp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
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

// actions describes the ways to continue after a plan, by their names in the protocol.
var actions = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"interactive":     "go ahead, and ask before anything that needs approval",
		"autopilot":       "go ahead on autopilot, until it is done",
		"autopilot_fleet": "go ahead on autopilot, with several agents",
		"exit_only":       "leave plan mode, and wait for me",
	}
}}

// ofPlan is a plan, and the question how to continue with it. Words that name no option are what
// to change in the plan.
func ofPlan(p planDone) *Question {
	q := &Question{Kind: Plan, Heading: "The plan:"}
	text := p.Plan
	if strings.TrimSpace(text) == "" {
		text = p.Summary
	}
	q.add(Detail{Shape: Document, Text: text})
	q.own = func(text string) Answer { return Answer{Reply: planVerdict{Feedback: text}} }
	yes := []string{"y", "yes"}
	for i, name := range p.Actions {
		o := Option{Number: i + 1, Text: oneLine(cmp.Or(actions.Get()[name], name)), Allows: true}
		if name == p.Recommended {
			o.Text += " (recommended)"
			o.Words, yes = yes, nil
		}
		o.answer = always(Answer{Reply: planVerdict{Approved: true, Action: name}})
		q.Options = append(q.Options, o)
	}
	if yes != nil && (p.Recommended != "" || len(p.Actions) == 0) {
		q.Options = append(q.Options, Option{
			Key: "y", Words: []string{"yes"}, Text: oneLine("go ahead: " + cmp.Or(actions.Get()[p.Recommended], p.Recommended, "the plan is good")), Allows: true,
			answer: always(Answer{Reply: planVerdict{Approved: true, Action: p.Recommended}}),
		})
	}
	q.Options = append(q.Options, Option{Key: "n", Words: []string{"no"}, Text: "no, and say what to change", Prompt: whyNot, answer: q.own})
	return q
}
