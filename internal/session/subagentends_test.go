package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestASubAgentThatFails(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		failed := last(t, s.told, "subagent.failed")
		if field(failed, "error") == "" || field(failed, "toolCallId") != "c1" {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
		result := last(t, s.told, "tool.execution_complete")
		if field(result, "success") != "false" || !strings.HasPrefix(field(result, "error", "message"), "The agent job failed: ") {
			t.Errorf("the result is %s", result.Data)
		}
		if count(s.told, "session.error") != 0 || field(last(t, s.told, "model.call_failure"), "source") != "subagent" {
			t.Errorf("the failure is the session's:\n%s", types(s.told))
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "sync")}},
		first("do job", modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}),
		modeltest.Reply{Text: "Done."})
}

// A sub-agent whose answer was cut off has failed; the model that asked it gets the reason and the text.
func TestASubAgentThatIsCutOff(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		if failed := last(t, s.told, "subagent.failed"); !strings.Contains(field(failed, "error"), "cut off at the limit") {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
		result := field(last(t, s.told, "tool.execution_complete"), "error", "message")
		if !strings.Contains(result, "cut off at the limit") || !strings.Contains(result, "Half of it") {
			t.Errorf("the result is %q", result)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "sync")}},
		first("do job", modeltest.Reply{Text: "Half of it", Finish: "length"}),
		modeltest.Reply{Text: "Done."})
}

func TestASubAgentThatPanics(t *testing.T) {
	calls := 0
	d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Programs: func() []string {
		if calls++; calls == 2 {
			panic("boom")
		}
		return nil
	}}}
	bubble(t, d, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		if failed := last(t, s.told, "subagent.failed"); !strings.Contains(field(failed, "error"), "panic") {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "sync")}},
		modeltest.Reply{Text: "Done."})
}

// An abort ends all sub-agents, also those in the background, before the session is idle.
func TestAnAbortEndsSubAgents(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		for range 3 {
			s.until("subagent.started")
		}
		synctest.Wait()
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		idle := s.until("session.idle")
		checkEnds(t, s.rest(), 3)
		if field(idle, "aborted") != "true" || s.told[len(s.told)-1].ID != idle.ID {
			t.Errorf("the idle is %s, in:\n%s", idle.Data, types(s.told))
		}
		for _, e := range s.told {
			if e.Type == "subagent.completed" && field(e, "cancelled") != "true" || e.Type == "subagent.failed" || e.Type == "system.notification" {
				t.Errorf("%s@%s: %s", e.Type, e.AgentID, e.Data)
			}
		}
		if n := len(d.model.Requests()); n != 4 {
			t.Errorf("the model was called %d times", n)
		}
		s.send("again")
		s.until("session.idle")
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{
			taskCall("c1", "explore", "a", "background"), taskCall("c2", "general-purpose", "b", "sync"),
		}},
		first("do a", modeltest.Silent()),
		first("do b", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "c", "sync")}}),
		first("do c", modeltest.Silent()),
		modeltest.Reply{Text: "Done."})
}

// A sub-agent whose process died has failed, and the model is told of the one that it was to be
// notified of.
func TestSubAgentsOfADeadProcessHaveFailed(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("subagent.started")
		s.until("subagent.started")
		synctest.Wait()
		d.crash()
		d.model.Add(modeltest.Reply{Text: "I see."}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c9", "list_agents", `{}`)}}, modeltest.Reply{Text: "Three."})
		again := d.resume(tools())
		checkEnds(t, d.stored("s1"), 2)
		failed := last(t, d.stored("s1"), "subagent.failed")
		if field(failed, "agentName") != "explore" || !strings.Contains(field(failed, "error"), "ended before") {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
		if n := count(d.stored("s1"), "system.notification"); n != 1 {
			t.Errorf("%d notices", n)
		}
		again.send("and?")
		again.until("session.idle")
		if got := d.conversation(); !strings.Contains(got, `Agent "a" (explore) has failed. Use read_agent`) {
			t.Errorf("the model does not know:\n%s", got)
		}
		again.send("which?")
		again.until("session.idle")
		if got := d.conversation(); !strings.Contains(got, "agent_id: a, agent_type: explore, status: failed") {
			t.Errorf("the list is not there:\n%s", got)
		}
		if err := again.s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		d.resume(tools())
		checkEnds(t, d.stored("s1"), 2)
		if n := count(d.stored("s1"), "system.notification"); n != 1 {
			t.Errorf("%d notices after another resume", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "a", "background"), taskCall("c2", "explore", "b", "sync")}},
		first("do a", modeltest.Silent()),
		first("do b", modeltest.Silent()))
}

// 200 sub-agents over 20 sessions, nested, failing, aborted and killed: each has exactly one
// end.
func TestEverySubAgentEndsOnce(t *testing.T) {
	const sessions, each = 20, 10
	for n := range sessions {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var calls []modeltest.ToolCall
			for i := range each / 2 {
				mode := []string{"sync", "background"}[(n+i)%2]
				calls = append(calls, taskCall(fmt.Sprint("c", i), "general-purpose", fmt.Sprint("a", i), mode))
			}
			replies := []modeltest.Reply{{ToolCalls: calls}}
			for i := range each / 2 {
				inner := fmt.Sprint("b", i)
				last := modeltest.Reply{Text: "done", Delay: time.Duration(i*n%7) * time.Second}
				if (n+i)%4 == 3 {
					last = modeltest.Reply{Status: 400, Body: `{}`}
				}
				replies = append(replies,
					first(fmt.Sprint("do a", i), modeltest.Reply{Delay: time.Duration(i) * time.Second, ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", inner, "sync")}}),
					first("do "+inner, last),
					first(fmt.Sprint("do a", i), modeltest.Reply{Text: "done"}))
			}
			delegates(t, func(d *desk) {
				s := d.create(tools())
				s.send("go")
				for range n % 8 {
					s.until("subagent.started")
				}
				switch n % 4 {
				case 1:
					if err := s.s.Abort(context.Background(), ""); err != nil {
						t.Fatal(err)
					}
					s.until("session.idle")
				case 2:
					d.crash()
					s = d.resume(tools())
				default:
					s.until("session.idle")
				}
				s.rest()
				stored := d.stored("s1")
				checkEnds(t, stored, len(ends(stored)))
				if n%4 == 0 && len(ends(stored)) != each {
					t.Errorf("%d sub-agents, want %d", len(ends(stored)), each)
				}
			}, append(replies, modeltest.Reply{Text: "ok", Repeat: true})...)
		})
	}
}

// While the queue is paused, a message in it does not keep the session from waiting for a
// sub-agent; when the queue goes on, the message is answered at once.
func TestAPausedQueueWhileASubAgentWorks(t *testing.T) {
	delegates(t, func(d *desk) {
		ctx := context.Background()
		s := d.create(tools())
		s.send("go")
		s.until("assistant.idle")
		s.rest()
		if err := s.s.Queue().Pause(ctx, true); err != nil {
			t.Fatal(err)
		}
		s.send("and?")
		s.rest()
		if n := len(d.model.Requests()); n != 3 {
			t.Errorf("the model was called %d times", n)
		}
		if err := s.s.Queue().Pause(ctx, false); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got := story(s.told); strings.Index(got, "subagent.completed@job") < strings.LastIndex(got, "\nuser.message\n") {
			t.Errorf("the message waited:\n%s", got)
		}
		checkEnds(t, s.rest(), 1)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "background")}},
		first("do job", modeltest.Reply{Text: "the job is done", Delay: 30 * time.Second}),
		first("go", modeltest.Reply{Text: "I wait."}),
		modeltest.Reply{Text: "ok", Repeat: true})
}

// The main agent may be done while the answer to a call of a sub-agent waits to be recorded: the
// client learns that it was recorded.
func TestAnAnswerToASubAgentOutlivesTheMainAgentsRun(t *testing.T) {
	var release chan struct{}
	client := peer{"hooks.invoke": func(params map[string]any) (any, error) {
		if input := params["input"].(map[string]any); params["hookType"] == "postToolUse" && input["toolName"] == "lookup" {
			<-release
		}
		return nil, nil
	}}
	delegates(t, func(d *desk) {
		release = make(chan struct{}) // of this bubble
		cfg := tools("lookup")
		cfg.Hooks = yes()
		s := d.createWith(cfg, client)
		s.send("go")
		asked := s.until("external_tool.requested")
		answered := make(chan error, 1)
		go func() {
			ok, err := s.tryReply(field(asked, "requestId"), `"result":"42"`)
			if err == nil && !ok {
				err = errors.New("it was not wanted")
			}
			answered <- err
		}()
		s.until("assistant.idle")
		synctest.Wait()
		close(release)
		if err := <-answered; err != nil {
			t.Errorf("the answer was refused: %v", err)
		}
		s.until("session.idle")
		checkEnds(t, s.told, 1)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "job", "background")}},
		first("do job", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}),
		first("go", modeltest.Reply{Text: "I wait.", Delay: time.Second}),
		modeltest.Reply{Text: "ok", Repeat: true})
}

// A sub-agent that was stopped while one of its own still ended, and that continues, waits for those
// that it starts then.
func TestASubAgentThatContinuesWaitsForItsNewOnes(t *testing.T) {
	var release chan struct{}
	client := peer{"hooks.invoke": func(params map[string]any) (any, error) {
		if params["hookType"] == "postToolUse" && params["input"].(map[string]any)["toolName"] == "lookup" {
			<-release
		}
		return nil, nil
	}}
	delegates(t, func(d *desk) {
		release = make(chan struct{}) // of this bubble
		cfg := tools("lookup")
		cfg.Hooks = yes()
		s := d.createWith(cfg, client)
		s.send("go")
		asked := s.until("external_tool.requested") // of the child
		go func() { _, _ = s.tryReply(field(asked, "requestId"), `"result":"42"`) }()
		synctest.Wait()
		tasks := s.s.Agents().Tasks()
		if ok, err := tasks.Cancel(context.Background(), "parent"); !ok || err != nil {
			t.Fatalf("Cancel = %v, %v", ok, err)
		}
		if err := tasks.Write(context.Background(), "parent", "more"); err != nil {
			t.Fatal(err)
		}
		for e := s.until("subagent.started"); e.AgentID != "young"; e = s.until("subagent.started") {
		}
		close(release)
		s.until("session.idle")
		if got := story(s.told); strings.LastIndex(got, "subagent.completed@parent") < strings.LastIndex(got, "subagent.completed@young") {
			t.Errorf("the sub-agent did not wait:\n%s", got)
		}
		checkEnds(t, s.rest(), 3)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "parent", "background")}},
		first("do parent", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "child", "background")}}),
		first("do child", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}),
		modeltest.Reply{When: modeltest.LastIs("more"), ToolCalls: []modeltest.ToolCall{taskCall("c2", "general-purpose", "young", "background")}},
		first("do young", modeltest.Reply{Text: "young", Delay: 10 * time.Second}),
		modeltest.Reply{Text: "ok", Repeat: true, Delay: time.Second})
}
