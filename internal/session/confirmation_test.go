package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// decide gives the open confirmation an answer.
func (s *seat) decide(a permit.Answer) {
	s.d.t.Helper()
	id := field(s.until("permission.requested"), "requestId")
	if ok, err := s.s.Permissions().Answer(context.Background(), id, a); !ok || err != nil {
		s.d.t.Fatalf("AnswerPermission = %v, %v", ok, err)
	}
}

// confirmData changes when it is decoded and encoded again.
const confirmData = `{"id": "id-123",  "n": 1.0, "big": 12345678901234567890, "a": "\u00e9<&>", "z": null}`

// asker asks for a confirmation, and says what was decided.
func asker(_ context.Context, r *extension.Request, w *extension.Writer) error {
	if d := r.Decision(); d != nil {
		if string(d.Data) != confirmData {
			return w.Text("That is not what I asked: " + string(d.Data))
		}
		if d.Accepted {
			return w.Text("It is off.")
		}
		return w.Text("It stays on.")
	}
	if r.Prompt() != "turn it off" {
		return w.Text("Then not.")
	}
	if err := w.Text("I can do that."); err != nil {
		return err
	}
	return w.Confirm(extension.Confirmation{Title: "Turn off feature flag", Message: "Sure about `copilot`?", Data: json.RawMessage(confirmData)})
}

func TestConfirmations(t *testing.T) {
	for _, tc := range []struct {
		name         string
		answer       permit.Answer
		kind, result string
		said         string
	}{
		{"accepted", permit.Answer{Outcome: permit.Approved}, "approved", "accepted", "It is off."},
		{"accepted for the session is once", permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}, "approved", "accepted", "It is off."},
		{"accepted with a rule for the next ones", permit.Answer{
			Outcome: permit.Approved, Scope: permit.ForSession, Rules: []permit.Rule{{Kind: permit.CustomTool, Argument: "copilot_confirmation"}},
		}, "approved", "accepted", "It is off."},
		{"dismissed", permit.Answer{Outcome: permit.Rejected, Feedback: "no"}, "denied-interactively-by-user", "dismissed", "It stays on."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withAgent(t, asker, func(d *desk) {
				s := d.create(decider())
				s.send("turn it off")
				s.decide(tc.answer)
				asked := last(t, s.told, "permission.requested")
				if field(asked, "permissionRequest", "toolName") != "copilot_confirmation" || field(asked, "permissionRequest", "managedApprovalRequired") != "true" ||
					field(asked, "permissionRequest", "toolDescription") != "Turn off feature flag\n\nSure about `copilot`?" {
					t.Errorf("the question is %s", asked.Data)
				}
				s.until("session.idle")
				events := s.rest()
				if got := field(last(t, events, "permission.completed"), "result", "kind"); got != tc.kind {
					t.Errorf("permission.completed says %s, want %s", got, tc.kind)
				}
				done := last(t, events, "tool.execution_complete")
				if got := field(done, "result", "content"); got != tc.result && field(done, "error", "message") != tc.result {
					t.Errorf("the call ended as %s, want %s", done.Data, tc.result)
				}
				if got := field(last(t, events, "assistant.message"), "content"); got != tc.said {
					t.Errorf("the agent says %q, want %q", got, tc.said)
				}
				if !strings.Contains(d.agent.bodies[1], `"confirmation":`+confirmData) {
					t.Errorf("the agent was sent %s, want %s in it", d.agent.bodies[1], confirmData)
				}
				s.send("turn it off") // a decision is told once, and allows no other
				s.until("permission.requested")
				if r := d.agent.request(t, 2); r.Decision() != nil || strings.Contains(d.agent.bodies[2], `"state"`) {
					t.Errorf("the decision was told again: %s", d.agent.bodies[2])
				}
				checkChain(t, persisted(s.told))
			})
		})
	}
}

// No rule, mode or program answers a confirmation for the user.
func TestOnlyTheUserConfirms(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts registry.Options
		mode wire.PermissionMode
	}{
		{"--yolo", registry.Options{Rules: permit.Rules{All: true}}, ""},
		{"an allow rule", registry.Options{Rules: permit.Rules{Allow: []permit.Rule{{Kind: permit.CustomTool}}}}, ""},
		{"the mode allow-all", registry.Options{}, wire.ModeAllowAll},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withAgent(t, asker, func(d *desk) {
				d.stop()
				d.start(tc.opts)
				s := d.create(decider())
				s.send("turn it off")
				s.until("permission.requested")
				if tc.mode != "" {
					if _, err := s.s.Permissions().SetMode(context.Background(), tc.mode); err != nil {
						t.Fatal(err)
					}
				}
				s.rest()
				if count(s.told, "permission.completed") != 0 || d.agent.calls() != 1 {
					t.Errorf("it was confirmed:\n%s", types(s.told))
				}
				if o, err := s.s.Permissions().Offer(context.Background(), field(last(t, s.told, "permission.requested"), "requestId")); len(o.Rules) != 0 || err != nil {
					t.Errorf("more than this one can be allowed: %+v, %v", o, err)
				}
			})
		})
	}
}

func TestAHookConfirmsNothing(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		cfg := decider()
		cfg.Hooks = yes()
		s := d.createWith(cfg, peer{"hooks.invoke": func(p map[string]any) (any, error) {
			if kind, _ := p["hookType"].(string); strings.Contains(kind, "ToolUse") {
				t.Errorf("a hook was called: %s", kind)
			}
			return map[string]any{"output": map[string]any{"permissionDecision": "allow", "modifiedArgs": map[string]any{"confirmation": "{}"}}}, nil
		}})
		s.send("turn it off")
		s.decide(permit.Answer{Outcome: permit.Approved})
		s.until("session.idle")
		if got := field(last(t, s.told, "assistant.message"), "content"); got != "It is off." {
			t.Errorf("the agent says %q", got)
		}
	})
}

func TestWithoutAClientAConfirmationIsDismissedAtOnce(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		cfg := decider()
		cfg.RequestPermission = nil
		s := d.create(cfg)
		s.send("turn it off")
		s.until("session.idle")
		if got := field(last(t, s.told, "tool.execution_complete"), "error", "message"); got != "dismissed: no client can ask the user" {
			t.Errorf("the call ended with %q", got)
		}
		if got := field(last(t, s.told, "assistant.message"), "content"); got != "It stays on." {
			t.Errorf("the agent says %q", got)
		}
	})
}

// An agent that asks for one confirmation after the other is stopped.
func TestAnAgentThatAsksForEverIsStopped(t *testing.T) {
	insists := func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		return w.Confirm(extension.Confirmation{Title: "Now?", Message: "Please.", Data: json.RawMessage(`{"id":1}`)})
	}
	withAgent(t, insists, func(d *desk) {
		cfg := decider()
		cfg.RequestPermission = nil
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		if n := d.agent.calls(); n != 11 {
			t.Errorf("the agent was called %d times, want 11", n)
		}
		if got := field(last(t, s.told, "session.warning"), "message"); !strings.Contains(got, "confirmations, one after the other") {
			t.Errorf("the warning is %q", got)
		}
	})
}

func TestANewMessageCancelsAConfirmation(t *testing.T) {
	for _, mode := range []string{"enqueue", "immediate"} {
		t.Run(mode, func(t *testing.T) {
			withAgent(t, asker, func(d *desk) {
				s := d.create(decider())
				s.send("turn it off")
				s.until("permission.requested")
				if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "what else is there?", Mode: mode}); err != nil {
					t.Fatal(err)
				}
				s.until("session.idle")
				if got := field(last(t, s.rest(), "permission.completed"), "result", "kind"); got != "cancelled" {
					t.Errorf("permission.completed says %s", got)
				}
				r := d.agent.request(t, 1)
				if r.Decision() != nil || r.Prompt() != "what else is there?" {
					t.Errorf("the agent was sent %s", d.agent.bodies[1])
				}
				if got := field(last(t, s.told, "assistant.message"), "content"); got != "Then not." || d.agent.calls() != 2 {
					t.Errorf("the agent says %q after %d calls", got, d.agent.calls())
				}
			})
		})
	}
}

// Clearing the conversation withdraws its open confirmation.
func TestAClearedConversationAsksNothing(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		s := d.create(decider())
		s.send("turn it off")
		s.until("permission.requested")
		if _, err := s.s.History().Clear(context.Background(), "and now?"); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got := field(last(t, s.rest(), "permission.completed"), "result", "kind"); got != "cancelled" {
			t.Errorf("permission.completed says %s", got)
		}
		if r := d.agent.request(t, 1); r.Decision() != nil || r.Prompt() != "and now?" || len(r.Messages) != 1 {
			t.Errorf("the agent was sent %s", d.agent.bodies[1])
		}
	})
}

// Several confirmations of one answer are asked one after the other, each decision is sent
// alone, and the agent's answers in between are part of the conversation.
func TestSeveralConfirmations(t *testing.T) {
	const ask = "event: copilot_confirmation\ndata: {\"type\":\"action\",\"title\":\"T%\",\"message\":\"M\",\"confirmation\":{\"id\":%}}\n\n"
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request, err := extension.ParseRequest(body)
		if err != nil {
			t.Error(err)
			return
		}
		if d := request.Decision(); d != nil {
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"told `+strings.ReplaceAll(string(d.Data), `"`, `\"`)+`"}}]}`+"\n\n")
			return
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(ask, "%", "1")+strings.ReplaceAll(ask, "%", "2")+strings.ReplaceAll(ask, "%", "3"))
	})
	withHandler(t, nil, answers, func(d *desk) {
		s := d.create(decider())
		s.send("go")
		var said []string
		for _, outcome := range []permit.Outcome{permit.Approved, permit.Rejected, permit.Approved} {
			s.decide(permit.Answer{Outcome: outcome})
			said = append(said, field(s.until("assistant.message"), "content"))
		}
		s.until("session.idle")
		want := []string{`told {"id":1}`, `told {"id":2}`, `told {"id":3}`}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("the agent said (-want +got):\n%s", diff)
		}
		for i, state := range []bool{true, false, true} {
			r := d.agent.request(t, i+1)
			if m := r.Messages[len(r.Messages)-1]; len(m.Decisions) != 1 || m.Decisions[0].Accepted != state {
				t.Errorf("call %d decides %+v, want one decision, %v", i+1, m.Decisions, state)
			}
		}
		if d.agent.calls() != 4 {
			t.Errorf("the agent was called %d times, want 4", d.agent.calls())
		}
	})
}

// failsDecisions is asker behind a gateway that fails every request with a decision.
func failsDecisions() http.Handler {
	answers := extension.NewHandler(asker, extension.HandlerOptions{Unsigned: true, Hosts: []string{"agent.test"}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"state"`) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answers.ServeHTTP(w, r)
	})
}

// A hook can have a failed model call repeated, but not one that may have delivered a
// decision to an agent.
func TestAHookDoesNotTellADecisionTwice(t *testing.T) {
	withHandler(t, nil, failsDecisions(), func(d *desk) {
		cfg := decider()
		cfg.Hooks = yes()
		told := false
		s := d.createWith(cfg, peer{"hooks.invoke": func(p map[string]any) (any, error) {
			if p["hookType"] != "errorOccurred" {
				return nil, nil
			}
			told = true
			return map[string]any{"output": map[string]any{"errorHandling": "retry"}}, nil
		}})
		s.send("turn it off")
		s.decide(permit.Answer{Outcome: permit.Approved})
		s.until("session.idle")
		if !told || d.agent.calls() != 2 || field(last(t, s.told, "session.error"), "statusCode") != "502" {
			t.Errorf("the hook was told: %v; after %d calls:\n%s", told, d.agent.calls(), types(s.told))
		}
		s.send("hello?")
		s.until("session.idle")
		if r := d.agent.request(t, 2); r.Decision() != nil {
			t.Errorf("the decision was told again: %s", d.agent.bodies[2])
		}
	})
}

// A message to the running session waits until the agent has got the decision. On a slow
// disk the message arrives before the run continues.
func TestADecisionIsToldBeforeAnythingElse(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		d.stop()
		d.fs = vfs.Fail(d.fs, func(op vfs.Op) error {
			if op.Name == "write" && strings.HasSuffix(op.Path, "events.jsonl") {
				return &vfs.Slow{For: time.Millisecond}
			}
			return nil
		})
		d.start(d.opts)
		s := d.create(decider())
		s.send("turn it off")
		s.decide(permit.Answer{Outcome: permit.Approved})
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "and then?", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if r := d.agent.request(t, 1); r.Decision() == nil || !r.Decision().Accepted {
			t.Errorf("the agent was sent %s", d.agent.bodies[1])
		}
		if r := d.agent.request(t, 2); r.Prompt() != "and then?" || d.agent.calls() != 3 {
			t.Errorf("the agent was sent %s", d.agent.bodies[2])
		}
	})
}
