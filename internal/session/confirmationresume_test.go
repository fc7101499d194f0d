package session_test

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestAnOpenConfirmationOutlivesTheProcess(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		s := d.create(decider())
		s.send("turn it off")
		old := s.until("permission.requested")
		d.crash()
		cfg := decider()
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		again := s.until("permission.requested")
		if field(again, "requestId") != field(old, "requestId") || !again.Ephemeral {
			t.Errorf("asked again with %s, was %s", again.Data, old.Data)
		}
		if ok, err := s.s.Permissions().Answer(context.Background(), field(old, "requestId"), permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.until("session.idle")
		if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "It is off." {
			t.Errorf("the agent says %q:\n%s", got, types(s.told))
		}
		checkChain(t, persisted(d.stored("s1")))
	})
}

// A resume without continuePendingWork cancels the open confirmation.
func TestAResumeWithoutPendingWorkCancelsAConfirmation(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		s := d.create(decider())
		s.send("turn it off")
		s.until("permission.requested")
		d.crash()
		s = d.resume(decider())
		s.send("hello?")
		s.until("session.idle")
		if r := d.agent.request(t, 1); r.Decision() != nil || r.Prompt() != "hello?" {
			t.Errorf("the agent was sent %s", d.agent.bodies[1])
		}
	})
}

// Only the next call sends a decision. A later run that finds a decision that was not
// delivered does not send it.
func TestADecisionThatWasLostStaysLost(t *testing.T) {
	withHandler(t, nil, failsDecisions(), func(d *desk) {
		cfg := tools("look")
		cfg.Model = theAgent
		s := d.create(cfg)
		s.send("turn it off")
		s.decide(permit.Answer{Outcome: permit.Approved})
		s.until("session.idle")
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "m"}); err != nil {
			t.Fatal(err)
		}
		s.send("look")
		id := field(s.until("external_tool.requested"), "requestId")
		d.crash()
		cfg.ContinuePendingWork = true
		s = d.resume(cfg) // with the agent
		s.reply(id, `"result":"x"`)
		s.until("session.idle")
		if d.agent.calls() != 2 {
			t.Errorf("the decision was told again: %s", d.agent.bodies[2])
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "look", `{"q":"x"}`)}})
}

// A client that resumes with another model is asked the agent's question, and the agent
// gets the answer.
func TestTheAgentThatAskedGetsTheAnswer(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		s := d.create(decider())
		s.send("turn it off")
		s.until("permission.requested")
		d.crash()
		cfg := decider()
		cfg.Model, cfg.ContinuePendingWork = "m", true
		s = d.resume(cfg)
		s.decide(permit.Answer{Outcome: permit.Approved})
		s.until("session.idle")
		if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "It is off." || len(d.model.Requests()) != 0 {
			t.Errorf("%q answers, after %d calls of the model", got, len(d.model.Requests()))
		}
		s.send("hello")
		s.until("session.idle")
		if got := field(last(t, s.rest(), "assistant.message"), "model"); got != "m" || d.agent.calls() != 2 {
			t.Errorf("%q answers what comes next, after %d calls of the agent", got, d.agent.calls())
		}
	}, modeltest.Reply{Text: "from the model"})
}

// A client's tool of the same name cannot confirm, also after a restart.
func TestAToolOfAClientConfirmsNothing(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		s := d.create(decider())
		s.send("turn it off")
		s.until("permission.requested")
		d.crash()
		d.stop()
		d.start(registry.Options{Rules: permit.Rules{All: true}})
		cfg := tools("copilot_confirmation")
		cfg.Model, cfg.ContinuePendingWork = theAgent, true
		s = d.resume(cfg)
		s.until("permission.requested")
		if s.rest(); count(s.told, "external_tool.requested") != 0 || count(s.told, "permission.completed") != 0 {
			t.Errorf("it was confirmed:\n%s", types(s.told))
		}
	})
}
