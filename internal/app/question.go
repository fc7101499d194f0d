package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// answerer returns what answers a method that sessions call on their clients, nil if
// a terminal does not.
func (t *talk) answerer(method string) func(ctx context.Context, params json.RawMessage) (any, error) {
	switch method {
	case "userInput.request":
		return answering(t, (*asker).userInput)
	case "exitPlanMode.request":
		return answering(t, (*asker).exitPlan)
	}
	return nil
}

// answering decodes the parameters for what answers them.
func answering[P, R any](t *talk, answer func(*asker, context.Context, P) (R, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fault.New(fault.Invalid, "terminal", "", "the parameters: %w", err)
		}
		return answer(t.ask, ctx, p)
	}
}

// userInput is the parameters of userInput.request, and input its result.
type userInput struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
	Freeform *bool    `json:"allowFreeform"` // absent is yes
}

type input struct {
	Answer   string `json:"answer"`
	Freeform bool   `json:"wasFreeform"`
}

// userInput asks what the model wants to know.
func (a *asker) userInput(ctx context.Context, q userInput) (input, error) {
	a.Discard()
	free := q.Freeform == nil || *q.Freeform || len(q.Choices) == 0
	a.question(q.Question)
	a.list(q.Choices)
	hint := "answer › "
	if len(q.Choices) > 0 {
		hint = fmt.Sprintf("1-%d › ", len(q.Choices))
	}
	if free && len(q.Choices) > 0 {
		hint = fmt.Sprintf("1-%d, or your own words › ", len(q.Choices))
	}
	for {
		line, err := a.ReadLine(ctx, hint, a.look.Bold)
		if err != nil {
			return input{}, err
		}
		line = strings.TrimSpace(line)
		switch chosen := pick(q.Choices, line); {
		case chosen >= 0:
			return input{Answer: q.Choices[chosen]}, nil
		case line != "" && free:
			return input{Answer: line, Freeform: true}, nil
		case line != "":
			a.remark(fmt.Sprintf("one of the choices, please: 1 to %d", len(q.Choices)))
		}
	}
}

// pick is the choice that an answer names, by its number or its text; -1 if none.
func pick(choices []string, answer string) int {
	if n, err := strconv.Atoi(answer); err == nil && 1 <= n && n <= len(choices) {
		return n - 1
	}
	return slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), answer) && answer != "" })
}

// question shows what is asked, whole.
func (a *asker) question(text string) {
	width, _ := a.Size()
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(timeline.Harmless(text))) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), width) {
			b.WriteString(a.look.Bold(row) + "\n")
		}
	}
	_, _ = io.WriteString(a, "\n"+b.String())
}

// list shows choices under their numbers.
func (a *asker) list(choices []string) {
	width, _ := a.Size()
	var b strings.Builder
	for i, c := range choices {
		number := fmt.Sprintf("%3d  ", i+1)
		for n, row := range timeline.Wrap(strings.Join(strings.Fields(timeline.Harmless(c)), " "), width-len(number)) {
			if n > 0 {
				number = strings.Repeat(" ", len(number))
			}
			b.WriteString(a.look.Cyan(number) + row + "\n")
		}
	}
	_, _ = io.WriteString(a, b.String())
}

// planDone is the parameters of exitPlanMode.request, and verdict its result.
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

// actions is what a person reads for the ways to go on.
var actions = map[string]string{
	"interactive":     "go ahead, and ask before anything that needs a yes",
	"autopilot":       "go ahead on autopilot, until it is done",
	"autopilot_fleet": "go ahead on autopilot, with several agents",
	"exit_only":       "leave plan mode, and wait for me",
}

// exitPlan shows a plan and asks how to go on.
func (a *asker) exitPlan(ctx context.Context, p planDone) (planVerdict, error) {
	a.Discard()
	width, rows := a.Size()
	s := &sheet{width: width, look: a.look}
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
	_, _ = io.WriteString(a, preview(s.rows, width, fits)+"\n")
	var choices []string
	for _, name := range p.Actions {
		text := name
		if known := actions[name]; known != "" {
			text = known
		}
		if name == p.Recommended {
			text += " (recommended)"
		}
		choices = append(choices, text)
	}
	return a.planChoice(ctx, p, choices, s.rows)
}

// planChoice asks until the answer is one.
func (a *asker) planChoice(ctx context.Context, p planDone, choices, plan []string) (planVerdict, error) {
	for {
		a.list(choices)
		line, err := a.ReadLine(ctx, "a number, or what to change in the plan › ", a.look.Bold)
		if err != nil {
			return planVerdict{}, err
		}
		line = strings.TrimSpace(line)
		chosen := pick(choices, line)
		switch {
		case chosen >= 0:
			return planVerdict{Approved: true, Action: p.Actions[chosen]}, nil
		case line == "v" || line == "view":
			_, _ = io.WriteString(a, strings.Join(plan, "\n")+"\n\n")
		case (line == "y" || line == "yes") && (p.Recommended != "" || len(p.Actions) == 0):
			return planVerdict{Approved: true, Action: p.Recommended}, nil
		case line == "n" || line == "no":
			why, err := a.refusal(ctx, "")
			return planVerdict{Feedback: why.Feedback}, err
		case line != "":
			return planVerdict{Feedback: line}, nil
		}
	}
}
