package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// curious is a model that asks once and then answers.
func curious() []modeltest.Reply {
	return []modeltest.Reply{
		{ToolCalls: []modeltest.ToolCall{call("c1", "ask_user", `{"question":"Which?","choices":["a","b"]}`)}},
		{Text: "done"},
	}
}

func TestAQuestionGetsItsAnswer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		client peer
		want   string
	}{
		{"a choice", peer{"userInput.request": func(map[string]any) (any, error) {
			return map[string]any{"answer": "a", "wasFreeform": false}, nil
		}}, "User selected: a"},
		{"other words", peer{"userInput.request": func(params map[string]any) (any, error) {
			if params["question"] != "Which?" || params["allowFreeform"] != true {
				return nil, errors.New("odd question")
			}
			return map[string]any{"answer": "neither", "wasFreeform": true}, nil
		}}, "User responded: neither"},
		{"a handler that fails", peer{"userInput.request": func(map[string]any) (any, error) {
			return nil, errors.New("no window")
		}}, "The user could not be asked: no window. Go on without an answer, and say what you assumed."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			equipped(t, func(d *desk) {
				s := d.createWith(wire.Config{SessionID: "s1", RequestUserInput: yes()}, tc.client)
				s.send("go")
				s.until("session.idle")
				want := "user: go\nassistant: [ask_user {\"question\":\"Which?\",\"choices\":[\"a\",\"b\"]}]\ntool: " + tc.want + "\n"
				if diff := cmp.Diff(want, d.conversation()); diff != "" {
					t.Errorf("conversation (-want +got):\n%s", diff)
				}
				if count(s.told, "user_input.requested") != 1 || count(s.told, "user_input.completed") != 1 {
					t.Errorf("want one question and one end of it:\n%s", types(s.told))
				}
			}, curious()...)
		})
	}
}

func TestAToolThatCannotWorkIsNotOffered(t *testing.T) {
	equipped(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", RequestUserInput: yes()}) // but cannot be called
		s.send("go")
		s.until("session.idle")
		offered := ""
		for _, tool := range d.model.Requests()[0].Tools {
			offered += tool + " "
		}
		if offered != "task_complete " {
			t.Errorf("offered are %s, want task_complete alone", offered)
		}
	}, modeltest.Reply{Text: "ok"})
}

// A question is open until a client answers it: another client, by a call of its
// own, or one that attaches when the first has left.
func TestAQuestionOutlivesItsClient(t *testing.T) {
	equipped(t, func(d *desk) {
		cfg := wire.Config{SessionID: "s1", RequestUserInput: yes()}
		first := d.createWith(cfg, silentPeer{})
		first.send("go")
		first.until("user_input.requested")
		if err := first.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cfg.ContinuePendingWork = true
		second := d.resumeWith(cfg, peer{"userInput.request": func(map[string]any) (any, error) {
			return map[string]any{"answer": "b"}, nil
		}})
		second.until("session.idle")
		if e := last(t, second.told, "tool.execution_complete"); field(e, "result", "content") != "User selected: b" {
			t.Errorf("the result is %s", e.Data)
		}
	}, curious()...)
}

// After a crash the question is asked again: asking twice does no harm.
func TestAQuestionIsAskedAgainAfterACrash(t *testing.T) {
	equipped(t, func(d *desk) {
		cfg := wire.Config{SessionID: "s1", RequestUserInput: yes()}
		s := d.createWith(cfg, silentPeer{})
		s.send("go")
		s.until("user_input.requested")
		d.crash()
		cfg.ContinuePendingWork = true
		again := d.resumeWith(cfg, peer{"userInput.request": func(map[string]any) (any, error) {
			return map[string]any{"answer": "a"}, nil
		}})
		again.until("session.idle")
		if e := last(t, again.told, "tool.execution_complete"); field(e, "result", "content") != "User selected: a" {
			t.Errorf("the result is %s", e.Data)
		}
	}, curious()...)
}

func TestAPlanIsApproved(t *testing.T) {
	equipped(t, func(d *desk) {
		client := peer{"exitPlanMode.request": func(params map[string]any) (any, error) {
			if params["recommendedAction"] != "autopilot" || params["summary"] != "do it" {
				t.Errorf("asked %v", params)
			}
			return map[string]any{"approved": true, "selectedAction": "interactive"}, nil
		}}
		s := d.createWith(wire.Config{SessionID: "s1", RequestExitPlan: yes()}, client)
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "plan", AgentMode: "plan"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		done := last(t, s.told, "exit_plan_mode.completed")
		if field(done, "approved") != "true" || field(done, "selectedAction") != "interactive" {
			t.Errorf("completed is %s", done.Data)
		}
		if n := len(d.model.Requests()); n != 2 || len(d.model.Requests()[1].Tools) != 1 {
			t.Errorf("%d requests; want the second without exit_plan_mode", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "exit_plan_mode", `{"summary":"do it","actions":["autopilot","interactive"],"recommendedAction":"autopilot"}`)}},
		modeltest.Reply{Text: "off we go"},
	)
}

// leaving is a client that never answers, and counts the calls that still wait for it.
type leaving struct{ held atomic.Int32 }

func (l *leaving) Call(ctx context.Context, _ string, _, _ any) error {
	l.held.Add(1)
	defer l.held.Add(-1)
	<-ctx.Done()
	return ctx.Err()
}

// When a client leaves, its questions go to a client that stays.
func TestAQuestionGoesToWhoStays(t *testing.T) {
	equipped(t, func(d *desk) {
		cfg := wire.Config{SessionID: "s1", RequestUserInput: yes()}
		stays := d.createWith(cfg, peer{"userInput.request": func(map[string]any) (any, error) {
			return map[string]any{"answer": "b"}, nil
		}})
		leaves := d.resumeWith(cfg, &leaving{}) // came last, so it is asked
		stays.send("go")
		stays.until("user_input.requested")
		synctest.Wait()
		if err := leaves.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		stays.until("session.idle")
		if got := field(last(t, stays.told, "user_input.completed"), "answer"); got != "b" {
			t.Errorf("the answer is %q", got)
		}
	}, curious()...)
}

// A question that no tool waits for any more does not hold a client.
func TestAQuestionEndsWithItsRun(t *testing.T) {
	equipped(t, func(d *desk) {
		client := &leaving{}
		s := d.createWith(wire.Config{SessionID: "s1", RequestUserInput: yes()}, client)
		s.send("go")
		s.until("user_input.requested")
		synctest.Wait()
		if client.held.Load() != 1 {
			t.Fatalf("%d calls are under way, want the question", client.held.Load())
		}
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		synctest.Wait()
		if client.held.Load() != 0 {
			t.Error("the client is still being asked")
		}
	}, curious()...)
}
