//go:build unix

package torture_test

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// short is a moment in which a client can leave and come back.
const short = 20 * time.Millisecond

// question is how a kind of question is answered.
type question struct {
	method, field string
	answer        any
}

var questions = map[wire.EventType]question{
	"user_input.requested":       {"session.ui.handlePendingUserInput", "response", map[string]any{"answer": "blue", "wasFreeform": false}},
	"exit_plan_mode.requested":   {"session.ui.handlePendingExitPlanMode", "response", map[string]any{"approved": true, "selectedAction": "interactive"}},
	"elicitation.requested":      {"session.ui.handlePendingElicitation", "result", map[string]any{"action": "accept", "content": map[string]any{"name": "x"}}},
	"auto_mode_switch.requested": {"session.ui.handlePendingAutoModeSwitch", "response", "yes"},
}

var questionScene = scene{
	steps: []func(*talk) error{ask, askApart, askPlan, askForm, askSwitch, farewell},
	replies: func(t *talk) []modeltest.Reply {
		limited := modeltest.Failure(429, "user_weekly_rate_limited", "the week is used up")
		limited.Repeat = true
		limited.When = func(r *modeltest.Request) bool {
			return r.Model == "test-model" && modeltest.LastIs(t.mark("switch"))(r)
		}
		question := `{"question":"Which colour?","choices":["blue","red"]}`
		return []modeltest.Reply{
			limited,
			t.reply("ask", modeltest.ToolCall{ID: t.id + "-ask", Name: "ask_user", Arguments: question}),
			t.reply("apart", modeltest.ToolCall{ID: t.id + "-apart", Name: "ask_user", Arguments: question}),
			t.reply("plan", modeltest.ToolCall{ID: t.id + "-plan", Name: "exit_plan_mode", Arguments: `{"summary":"We do it."}`}),
		}
	},
	config: map[string]any{
		"requestUserInput": true, "requestExitPlanMode": true, "requestElicitation": true, "requestAutoModeSwitch": true,
	},
}

// answerQuestion answers a question as one client, and then as the other, which must be too late.
// The clients take turns.
func (t *talk) answerQuestion(q question, request string) error {
	first, second := t.a, t.b
	if t.asked++; t.asked%2 == 0 {
		first, second = second, first
	}
	for _, s := range []*seat{first, second} {
		var ok struct{ Success bool }
		if err := t.call(s, q.method, map[string]any{"requestId": request, q.field: q.answer}, &ok); err != nil {
			return err
		}
		switch {
		case ok.Success && t.answered[request]:
			t.fault(twice, "the question %s was answered twice", request)
		case !ok.Success && !t.answered[request]:
			t.fault(unanswerable, "the question %s, %s, could not be answered", request, q.method)
		}
		t.answered[request] = t.answered[request] || ok.Success
	}
	t.accepted++
	return nil
}

// ask is a question of the model to its user.
func ask(t *talk) error { return t.say("ask") }

// askApart is A leaving while the question is open: it gets the question again when it is back.
func askApart(t *talk) error {
	if reached, err := t.until("apart", "user_input.requested", ""); !reached || err != nil {
		return err
	}
	if err := t.leave(); err != nil {
		return err
	}
	return t.attend(idle, nil)
}

// askPlan is a plan that the user approves.
func askPlan(t *talk) error {
	id, err := t.sendWith(t.a, "plan", map[string]any{"agentMode": "plan"})
	if err != nil {
		return err
	}
	return t.untilIdle(id)
}

// askForm is a form of A's program, which either client fills in.
func askForm(t *talk) error {
	var answer struct{ Action string }
	result := make(chan error, 1)
	go func(s *seat) {
		result <- t.call(s, "session.ui.elicitation", map[string]any{
			"message": "Who are you?",
			"requestedSchema": map[string]any{
				"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"},
			},
		}, &answer)
	}(t.a)
	err := t.attend(func(e told) bool { return e.Type == "elicitation.completed" }, nil)
	if failed := <-result; failed != nil {
		return failed
	}
	if err == nil && answer.Action != "accept" {
		t.fault(unkept, "the answer to the form is %q", answer.Action)
	}
	return err
}

// askSwitch is a model whose limit is used up, and another one in its place.
func askSwitch(t *talk) error { return t.say("switch") }
