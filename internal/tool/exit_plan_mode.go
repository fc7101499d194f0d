package tool

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var exitPlanModeDefinition = described{name: fact.ExitPlanMode}

type exitPlanMode struct{ user User }

// ExitPlanMode is the tool exit_plan_mode.
func ExitPlanMode(u User) Tool { return exitPlanMode{u} }

func (t exitPlanMode) Definition() Definition { return exitPlanModeDefinition.Get() }

func (t exitPlanMode) Run(ctx context.Context, c Call) Result {
	args, bad := decode[struct {
		Summary     string   `json:"summary"`
		Actions     []string `json:"actions"`
		Recommended string   `json:"recommendedAction"`
	}](c)
	if bad != nil {
		return *bad
	}
	if len(args.Actions) == 0 {
		args.Actions = []string{"interactive", "autopilot", "exit_only"}
	}
	if !slices.Contains(args.Actions, args.Recommended) {
		args.Recommended = args.Actions[0]
	}
	a, err := t.user.ApprovePlan(ctx, c, Plan{Summary: args.Summary, Actions: args.Actions, Recommended: args.Recommended})
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case errors.Is(err, ErrNobody):
		return failure("Nobody is there to approve the plan. Stay in plan mode: end with the plan as your answer.")
	case err != nil:
		return failure("The plan could not be shown: %v. Stay in plan mode: end with the plan as your answer.", err)
	}
	return success(planText(a))
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
	return "Plan approved! Exited plan mode.\n\nYou are now in interactive mode. Start implementing the plan now, in this same response. " + // recordings match this text
		"Approving the plan is your go-signal, so do not stop to ask whether to proceed or wait for another message."
}
