package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Several sub-agents share the budget of their run.
func TestSubAgentsShareABudget(t *testing.T) {
	delegates(t, func(d *desk) {
		cfg := tools()
		cfg.Budget = &wire.Budget{MaxTurns: 3}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 3)
		if n := len(d.model.Requests()); n != 3 {
			t.Errorf("the model was called %d times, want 3", n)
		}
		if n := count(s.told, "subagent.failed"); n != 1 {
			t.Errorf("%d sub-agents failed, want 1:\n%s", n, types(s.told))
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{
			taskCall("c1", "explore", "a", "sync"), taskCall("c2", "explore", "b", "sync"), taskCall("c3", "explore", "c", "sync"),
		}},
		modeltest.Reply{Text: "one", Repeat: true})
}

// With a budget of tokens, calls of sub-agents wait for each other where the rest may not be
// enough for both, and never use more than there is.
func TestSubAgentsDoNotOverspend(t *testing.T) {
	const budget = 40_000
	reply := modeltest.Reply{Text: "one", Delay: time.Second, Usage: &modeltest.Usage{Input: 2000, Output: 3000}, Repeat: true}
	delegates(t, func(d *desk) {
		cfg := tools()
		cfg.Budget = &wire.Budget{MaxTokens: budget}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 8)
		if n := len(d.model.Requests()); n*5000 > budget || n < 4 {
			t.Errorf("%d calls of 5000 tokens each in a budget of %d", n, budget)
		}
	},
		modeltest.Reply{Usage: &modeltest.Usage{Input: 2000, Output: 100}, ToolCalls: []modeltest.ToolCall{
			taskCall("c1", "explore", "a", "sync"), taskCall("c2", "explore", "b", "sync"), taskCall("c3", "explore", "c", "sync"), taskCall("c4", "explore", "d", "sync"),
			taskCall("c5", "explore", "e", "sync"), taskCall("c6", "explore", "f", "sync"), taskCall("c7", "explore", "g", "sync"), taskCall("c8", "explore", "h", "sync"),
		}}, reply)
}

func TestLimitsOnSubAgents(t *testing.T) {
	d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Subagents: agent.Limits{Running: 2, Total: 3}}}
	bubble(t, d, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 3)
		var refused []string
		for _, e := range s.told {
			if e.Type == "tool.execution_complete" && field(e, "success") == "false" {
				refused = append(refused, field(e, "error", "message"))
			}
		}
		if got := strings.Join(refused, "\n"); !strings.Contains(got, "2 sub-agents are running already") || !strings.Contains(got, "3 sub-agents were started for this message") {
			t.Errorf("refused with:\n%s", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{
			taskCall("c1", "explore", "a", "background"), taskCall("c2", "explore", "b", "background"), taskCall("c3", "explore", "c", "background"),
		}},
		first("do a", modeltest.Reply{Text: "one", Delay: time.Second}), first("do b", modeltest.Reply{Text: "one", Delay: time.Second}),
		first("do c", modeltest.Reply{Text: "one", Delay: time.Second}), first("do d", modeltest.Reply{Text: "one"}), first("do e", modeltest.Reply{Text: "one"}),
		modeltest.Reply{Text: "I wait."},
		modeltest.Reply{Delay: 5 * time.Second, ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "d", "sync"), taskCall("c2", "explore", "e", "sync")}},
		modeltest.Reply{Text: "ok", Repeat: true})
}

func TestSubAgentsAreNestedAtMostThreeDeep(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 3)
		deepest := d.model.Requests()[3]
		if strings.Contains(string(deepest.Raw), `"task"`) {
			t.Error("the deepest sub-agent may start another")
		}
		started := map[string]string{}
		for _, e := range s.told {
			if e.Type == "subagent.started" {
				started[e.AgentID] = field(e, "parentId")
			}
		}
		if started["a"] != "null" || started["b"] != "a" || started["c"] != "b" {
			t.Errorf("the parents are %v", started)
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "a: b: c" {
			t.Errorf("the result is %q", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "a", "sync")}},
		first("do a", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "b", "sync")}}),
		first("do b", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "c", "sync")}}),
		first("do c", modeltest.Reply{Text: "c"}),
		first("do b", modeltest.Reply{Text: "b: c"}),
		first("do a", modeltest.Reply{Text: "a: b: c"}),
		modeltest.Reply{Text: "Done."})
}

// A client starts a sub-agent in an idle session, reads how far it is, and removes it.
func TestAClientStartsASubAgent(t *testing.T) {
	delegates(t, func(d *desk) {
		ctx := context.Background()
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		id, err := s.s.Agents().Tasks().Start(ctx, tool.AgentTask{Agent: "general-purpose", Name: "my job", Description: "a job", Prompt: "do job"})
		if err != nil || id != "my-job" {
			t.Fatalf("Start = %q, %v", id, err)
		}
		list, err := s.s.Agents().Tasks().List(ctx, true)
		if err != nil || len(list) != 1 {
			t.Fatalf("List = %v, %v", list, err)
		}
		task := list[0].(*wire.AgentTask)
		if task.Status != "running" || task.AgentType != "general-purpose" || *task.ExecutionMode != "background" || task.Prompt != "do job" || task.Description != "a job" {
			t.Errorf("the task is %+v", task)
		}
		if removed, err := s.s.Agents().Tasks().Remove(ctx, id); removed || err != nil {
			t.Errorf("Remove of a task at work = %v, %v", removed, err)
		}
		if err := s.s.Agents().Tasks().Wait(ctx); err != nil {
			t.Errorf("Wait: %v", err)
		}
		s.until("session.idle")
		list, _ = s.s.Agents().Tasks().List(ctx, true)
		if task := list[0].(*wire.AgentTask); task.Status != "completed" || *task.Result != "DONE" || task.CompletedAt == nil {
			t.Errorf("the task is %+v", task)
		}
		if got := d.conversation(); !strings.Contains(got, `Agent "my job" (general-purpose) has completed successfully. Use read_agent with agent_id "my-job"`) {
			t.Errorf("the model does not know:\n%s", got)
		}
		if removed, err := s.s.Agents().Tasks().Remove(ctx, id); !removed || err != nil {
			t.Errorf("Remove = %v, %v", removed, err)
		}
		if list, _ := s.s.Agents().Tasks().List(ctx, true); len(list) != 0 {
			t.Errorf("List = %v", list)
		}
		if _, err := s.s.Agents().Tasks().Start(ctx, tool.AgentTask{Agent: "nobody", Prompt: "x"}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Start of an unknown agent: %v", err)
		}
	},
		modeltest.Reply{Text: "Hello."},
		first("do job", modeltest.Reply{Text: "DONE", Delay: 30 * time.Second}),
		modeltest.Reply{Text: "I see."})
}

// A client moves a sub-agent to the background and cancels it.
func TestAClientMovesAndCancelsASubAgent(t *testing.T) {
	delegates(t, func(d *desk) {
		ctx := context.Background()
		s := d.create(tools())
		s.send("go")
		s.until("subagent.started")
		synctest.Wait() // its call of the model is under way
		if task, err := s.s.Agents().Tasks().Promotable(ctx); task == nil || err != nil {
			t.Fatalf("Promotable = %v, %v", task, err)
		}
		if task, err := s.s.Agents().Tasks().Promote(ctx, ""); task == nil || err != nil {
			t.Fatalf("Promote = %v, %v", task, err)
		}
		s.until("assistant.idle")
		if canceled, err := s.s.Agents().Tasks().Cancel(ctx, "job"); !canceled || err != nil {
			t.Fatalf("Cancel = %v, %v", canceled, err)
		}
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		if got := d.conversation(); !strings.Contains(got, "Agent started in background with agent_id: job.") || !strings.Contains(got, `Agent "job" (explore) was cancelled.`) {
			t.Errorf("the conversation is:\n%s", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "sync")}},
		first("do job", modeltest.Silent()),
		modeltest.Reply{Text: "ok", Repeat: true})
}

// The conversation of a sub-agent that gets too long is summarised like that of the main agent,
// without touching the latter.
func TestTheConversationOfASubAgentIsSummarised(t *testing.T) {
	delegates(t, func(d *desk) {
		cfg := whole(tools("lookup"))
		background, exhaustion := 0.02, 0.03
		cfg.InfiniteSessions = &wire.InfiniteSessions{Background: background, Exhaustion: exhaustion}
		s := d.create(cfg)
		s.send("go")
		for range 3 {
			s.answer(`"result":"` + strings.Repeat("long ", 2000) + `"`)
		}
		s.until("session.idle")
		done := last(t, s.told, "session.compaction_complete")
		if done.AgentID != "job" || field(done, "success") != "true" {
			t.Fatalf("the compaction of %q: %s", done.AgentID, done.Data)
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "All found." {
			t.Errorf("the result is %q", got)
		}
		if got := d.conversation(); strings.Contains(got, "SUMMARY") || !strings.Contains(got, "[task ") {
			t.Errorf("the main conversation is:\n%s", got)
		}
		checkEnds(t, s.told, 1)
	},
		modeltest.Reply{When: asksForSummary, Text: "<overview>SUMMARY</overview>", Repeat: true},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "job", "sync")}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "All found."},
		modeltest.Reply{Text: "Done.", Repeat: true})
}

// writes is a call of write_agent.
func writes(id, agentID string) modeltest.ToolCall {
	return call(id, "write_agent", `{"agent_id":"`+agentID+`","message":"more"}`)
}

// A sub-agent that continues is as deep as before, also after a restart, and the agent that wrote
// to it is notified of its end, although the one that has started it has ended.
func TestASubAgentThatContinuesIsAsDeepAsBefore(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart=", restart), func(t *testing.T) {
			delegates(t, func(d *desk) {
				s := d.create(tools())
				s.send("go")
				s.until("session.idle")
				if restart {
					d.crash()
					s = d.resume(tools())
				}
				before := len(d.model.Requests())
				s.send("again")
				s.until("session.idle")
				checkEnds(t, d.stored("s1"), 3)
				again := last(t, s.told, "subagent.started")
				if again.AgentID != "c" || field(again, "parentId") != "b" {
					t.Errorf("%s started with %s", again.AgentID, again.Data)
				}
				for _, r := range d.model.Requests()[before:] {
					if strings.HasSuffix(r.Last().Content, "more") && slices.Contains(r.Tools, "task") {
						t.Error("the deepest sub-agent may start another now")
					}
				}
				if n := count(s.told, "system.notification"); n != 1 || last(t, s.told, "system.notification").AgentID != "" {
					t.Errorf("%d notices, in:\n%s", n, story(s.told))
				}
			},
				modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "a", "sync")}},
				first("do a", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "b", "sync")}}),
				first("do b", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "c", "sync")}}),
				first("do c", modeltest.Reply{Text: "c"}),
				first("do b", modeltest.Reply{Text: "b: c"}),
				first("do a", modeltest.Reply{Text: "a: b: c"}),
				modeltest.Reply{Text: "Done."},
				modeltest.Reply{ToolCalls: []modeltest.ToolCall{writes("c2", "c")}},
				modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// A run that continues after a restart may start only as many sub-agents as are left.
func TestTheNumberOfSubAgentsHoldsAfterARestart(t *testing.T) {
	d := &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Subagents: agent.Limits{Total: 2}}}
	bubble(t, d, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("subagent.started")
		s.rest()
		d.crash()
		cfg := tools()
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		s.until("session.idle")
		if n := len(ends(d.stored("s1"))); n != 2 {
			t.Errorf("%d sub-agents were started for one message, and 2 are allowed:\n%s", n, types(s.told))
		}
		s.send("another message")
		s.until("session.idle")
		if n := len(ends(d.stored("s1"))); n != 3 {
			t.Errorf("after another message %d sub-agents were started", n)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "a", "sync")}},
		first("do a", modeltest.Silent()),
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c2", "explore", "b", "sync"), taskCall("c3", "explore", "c", "sync")}},
		modeltest.Reply{Text: "b"}, modeltest.Reply{Text: "Done."},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c4", "explore", "d", "sync")}},
		modeltest.Reply{Text: "ok", Repeat: true})
}
