package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
)

// ExitPlanModeName is what the model calls when its plan is ready.
const ExitPlanModeName = "exit_plan_mode"

//go:embed exit_plan_mode.md
var exitPlanModeText string

const exitPlanModeSchema = `{"type":"object","properties":{` +
	`"summary":{"type":"string","description":"The plan in a few bullet points, for the user to decide on."},` +
	`"actions":{"type":"array","items":{"type":"string","enum":["exit_only","interactive","autopilot"]},"description":"How it may go on after an approval: interactive (the user is asked along the way), autopilot (you work until it is done), exit_only (nothing is done yet). Default all three."},` +
	`"recommendedAction":{"type":"string","description":"The one of the actions that you recommend. Default interactive."}` +
	`},"required":["summary"],"additionalProperties":false}`

type exitPlanMode struct{ person Person }

// ExitPlanMode is the tool exit_plan_mode.
func ExitPlanMode(p Person) Tool { return exitPlanMode{p} }

func (t exitPlanMode) Definition() Definition {
	return Definition{
		Name: ExitPlanModeName, Description: exitPlanModeText, Parameters: json.RawMessage(exitPlanModeSchema),
		Source: Builtin, Trusted: true, Repeatable: true,
	}
}

func (t exitPlanMode) Run(ctx context.Context, c Call) Result {
	var args struct {
		Summary     string   `json:"summary"`
		Actions     []string `json:"actions"`
		Recommended string   `json:"recommendedAction"`
	}
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return Failed("The plan cannot be read: %v.", err)
	}
	if len(args.Actions) == 0 {
		args.Actions = []string{"interactive", "autopilot", "exit_only"}
	}
	if !slices.Contains(args.Actions, args.Recommended) {
		args.Recommended = args.Actions[0]
	}
	a, err := t.person.ApprovePlan(ctx, c, Plan{Summary: args.Summary, Actions: args.Actions, Recommended: args.Recommended})
	switch {
	case ctx.Err() != nil:
		return Result{Outcome: Interrupted, Text: TextInterrupted}
	case errors.Is(err, ErrNobody):
		return Failed("Nobody is there to approve the plan. Stay in plan mode: end with the plan as your answer.")
	case err != nil:
		return Failed("The plan could not be shown: %v. Stay in plan mode: end with the plan as your answer.", err)
	}
	return Result{Outcome: Success, Text: planText(a)}
}

// planText is what the model reads of the decision.
func planText(a PlanAnswer) string {
	switch {
	case !a.Approved && a.Feedback != "":
		return "The plan was not approved. The user says: " + a.Feedback + "\n\nStay in plan mode: change the plan and show it again."
	case !a.Approved:
		return "The plan was not approved. Stay in plan mode: ask what is missing, or change the plan and show it again."
	case a.Action == "exit_only":
		return "Plan approved! Exited plan mode.\n\nDo not begin with it yet: end your answer here, the user says how it goes on."
	case a.Action == "autopilot":
		return "Plan approved! Exited plan mode.\n\nYou are now in autopilot mode: carry out the plan until it is done, then call task_complete."
	}
	return "Plan approved! Exited plan mode.\n\nYou are now in interactive mode: begin with the plan at once, without asking again whether you may."
}
