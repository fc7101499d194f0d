package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// AskUser asks the user a question of the tool ask_user. The error is [tool.ErrNobody] if no
// attached client answers questions.
func (o *Questions) AskUser(ctx context.Context, c tool.Call, q tool.Question) (tool.UserAnswer, error) {
	id := wire.NewID()
	answer, err := o.ask(ctx, &question{
		id: id, agentID: c.AgentID, can: AnswersQuestions, method: "userInput.request",
		event:  &wire.UserInputRequested{RequestID: id, Question: q.Text, Choices: q.Choices, AllowFreeform: &q.Freeform, ToolCallID: &c.ID},
		params: map[string]any{"sessionId": o.sessionID, "question": q.Text, "choices": q.Choices, "allowFreeform": q.Freeform},
		read: func(call func(any) error) (any, error) {
			var got wire.UserInputAnswer
			err := call(&got)
			return tool.UserAnswer{Text: got.Answer, Freeform: got.WasFreeform}, err
		},
		check: func(answer any) error {
			if u, _ := answer.(tool.UserAnswer); !q.Freeform && len(q.Choices) > 0 && !slices.Contains(q.Choices, u.Text) {
				return fmt.Errorf("the answer %q is none of the choices, and the question allows no other", fault.Bounded(u.Text))
			}
			return nil
		},
		completed: func(answer any) wire.Data {
			done := &wire.UserInputCompleted{RequestID: id}
			if u, ok := answer.(tool.UserAnswer); ok {
				done.Answer, done.WasFreeform = &u.Text, &u.Freeform
			}
			return done
		},
	})
	u, _ := answer.(tool.UserAnswer)
	return u, err
}

// AnswerUserInput answers a question of ask_user. It reports false if no such question is
// open.
func (o *Questions) AnswerUserInput(ctx context.Context, requestID string, a wire.UserInputAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, AnswersQuestions, tool.UserAnswer{Text: a.Answer, Freeform: a.WasFreeform}, nil)
}

// ApprovePlan asks the user for a decision on a plan, whose whole text is content. The error
// is [tool.ErrNobody] if no attached client decides on plans.
func (o *Questions) ApprovePlan(ctx context.Context, c tool.Call, p tool.Plan, content string) (tool.PlanAnswer, error) {
	id := wire.NewID()
	event := &wire.ExitPlanRequested{
		RequestID: id, Summary: p.Summary, PlanContent: content, RecommendedAction: wire.PlanAction(p.Recommended),
	}
	for _, action := range p.Actions {
		event.Actions = append(event.Actions, wire.PlanAction(action))
	}
	answer, err := o.ask(ctx, &question{
		id: id, agentID: c.AgentID, can: DecidesOnPlans, event: event, method: "exitPlanMode.request",
		params: map[string]any{
			"sessionId": o.sessionID, "summary": p.Summary, "planContent": content, "actions": p.Actions, "recommendedAction": p.Recommended,
		},
		read: func(call func(any) error) (any, error) {
			var got wire.PlanAnswer
			err := call(&got)
			return tool.PlanAnswer{Approved: got.Approved, Action: got.SelectedAction, Feedback: got.Feedback}, err
		},
		check: func(answer any) error {
			if d, _ := answer.(tool.PlanAnswer); d.Approved && d.Action != "" && !slices.Contains(p.Actions, d.Action) {
				return fmt.Errorf("the action %q was not offered; it is one of %q", fault.Bounded(d.Action), p.Actions)
			}
			return nil
		},
		completed: func(answer any) wire.Data {
			done := &wire.ExitPlanCompleted{RequestID: id}
			if d, ok := answer.(tool.PlanAnswer); ok {
				done.Approved, done.Feedback = &d.Approved, wire.Optional(d.Feedback)
				done.SelectedAction = wire.Optional(wire.PlanAction(d.Action))
			}
			return done
		},
	})
	d, _ := answer.(tool.PlanAnswer)
	if d.Approved && d.Action == "" {
		d.Action = p.Recommended
	}
	return d, err
}

// AnswerPlan decides on a plan. It reports false if no such plan is open.
func (o *Questions) AnswerPlan(ctx context.Context, requestID string, a wire.PlanAnswer) (ok bool, err error) {
	return o.answer(ctx, requestID, DecidesOnPlans, tool.PlanAnswer{Approved: a.Approved, Action: a.SelectedAction, Feedback: a.Feedback}, nil)
}
