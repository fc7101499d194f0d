package session_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestASubAgentAnswersACall(t *testing.T) {
	delegates(t, func(d *desk) {
		cfg := tools("lookup")
		cfg.Model = "large"
		cfg.CustomAgents = []wire.CustomAgent{{Name: "scout", DisplayName: "Scout", Description: "finds things", Prompt: "Be quick.", Tools: []string{"lookup"}, Model: "small"}}
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":"found"`)
		s.until("session.idle")
		want := `user.message
assistant.message
tool.execution_start
subagent.started@find-it
subagent.configured@find-it
user.message@find-it
assistant.message@find-it
tool.execution_start@find-it
external_tool.requested@find-it
tool.execution_complete@find-it
assistant.message@find-it
subagent.completed@find-it
tool.execution_complete
assistant.message
session.idle
`
		if got := story(s.told); got != want {
			t.Errorf("the events are:\n%s\nwant:\n%s", got, want)
		}
		started := last(t, s.told, "subagent.started")
		for field_, want := range map[string]string{
			"agentName": "scout", "agentDisplayName": "Scout", "agentDescription": "finds things", "toolCallId": "c1", "model": "small", "executionMode": "sync",
		} {
			if got := field(started, field_); got != want {
				t.Errorf("subagent.started has %s %q, want %q", field_, got, want)
			}
		}
		done := last(t, s.told, "subagent.completed")
		if field(done, "totalToolCalls") != "1" || field(done, "toolCallId") != "c1" || field(done, "model") != "small" {
			t.Errorf("subagent.completed is %s", done.Data)
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "It is there." {
			t.Errorf("the result is %q", got)
		}
		checkFirstRequest(t, d.model.Requests()[1])
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "scout", "find it", "sync")}},
		first("do find it", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}),
		first("do find it", modeltest.Reply{Text: "It is there."}),
		modeltest.Reply{Text: "Done."})
}

// checkFirstRequest checks the first request of the sub-agent of TestASubAgentAnswersACall.
func checkFirstRequest(t *testing.T, sub modeltest.Request) {
	t.Helper()
	var names []string
	for _, m := range sub.Messages[1:] {
		names = append(names, m.Role+" "+m.Content)
	}
	var raw struct {
		Model string
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(sub.Raw, &raw); err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || names[0] != "user do find it" || raw.Model != "small" || len(raw.Tools) != 1 || raw.Tools[0].Function.Name != "lookup" {
		t.Errorf("the sub-agent's first request has %q for %s with %v", names, raw.Model, raw.Tools)
	}
	if !strings.Contains(sub.Messages[0].Content, "Be quick.") {
		t.Errorf("the system message lacks the agent's instructions")
	}
}

// The session stays at work until a sub-agent in the background has ended and the model has
// read the notice.
func TestASubAgentInTheBackground(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		if got := count(s.rest(), "session.idle"); got != 1 || s.told[len(s.told)-1].Type != "session.idle" {
			t.Errorf("%d session.idle in:\n%s", got, types(s.told))
		}
		notice := last(t, s.told, "system.notification")
		want := "<system_notification>\nAgent \"job\" (explore) has completed successfully. Use read_agent with agent_id \"job\" to retrieve the full results.\n</system_notification>"
		if field(notice, "content") != want || field(notice, "kind", "type") != "agent_completed" || field(notice, "kind", "status") != "completed" {
			t.Errorf("the notice is %s", notice.Data)
		}
		if got := d.conversation(); !strings.HasSuffix(got, "tool: Agent completed. agent_id: job, agent_type: explore, status: completed, description: about job, elapsed: 10s, total_turns: 1\n\nthe job is done\n") {
			t.Errorf("the conversation ends with:\n%s", got)
		}
		checkEnds(t, s.told, 1)
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "background")}},
		first("do job", modeltest.Reply{Text: "the job is done", Delay: 10 * time.Second}),
		first("go", modeltest.Reply{Text: "I wait."}),
		after("go", "has completed successfully", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c2", "read_agent", `{"agent_id":"job","wait":true}`)}}),
		modeltest.Reply{Text: "All done."})
}

// A message that comes while sub-agents work in the background is answered at once.
func TestAMessageWhileASubAgentWorks(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("assistant.idle")
		s.rest()
		s.send("and?")
		s.until("session.idle")
		if got := story(s.told); strings.Index(got, "subagent.completed@job") < strings.LastIndex(got, "\nuser.message\n") {
			t.Errorf("the message waited:\n%s", got)
		}
		checkEnds(t, s.rest(), 1)
		if count(s.told, "session.idle") != 1 {
			t.Errorf("not one idle:\n%s", types(s.told))
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "background")}},
		first("do job", modeltest.Reply{Text: "the job is done", Delay: 30 * time.Second}),
		first("go", modeltest.Reply{Text: "I wait."}),
		first("go", modeltest.Reply{Text: "Not yet."}),
		first("go", modeltest.Reply{Text: "Now."}))
}

// A sub-agent waits for its own sub-agents in the background and reads their notices.
func TestASubAgentWaitsForItsOwn(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 2)
		if notice := last(t, s.told, "system.notification"); notice.AgentID != "a" {
			t.Errorf("the notice is for %q", notice.AgentID)
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "both" {
			t.Errorf("the result is %q", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "a", "sync")}},
		first("do a", modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "b", "background")}}),
		first("do b", modeltest.Reply{Text: "b", Delay: 30 * time.Second}),
		first("do a", modeltest.Reply{Text: "waiting"}),
		after("do a", "completed successfully", modeltest.Reply{Text: "both"}),
		modeltest.Reply{Text: "Done."})
}

// A sub-agent that has ended continues with what it knows when it gets a message.
func TestASubAgentContinues(t *testing.T) {
	delegates(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		if c := ends(s.rest())["job"]; c != [2]int{2, 2} {
			t.Errorf("it has %d starts and %d ends", c[0], c[1])
		}
		var sub []string
		for _, r := range d.model.Requests() {
			if strings.Contains(string(r.Raw), `"more"`) && !strings.Contains(string(r.Raw), "write_agent\",\"arguments") {
				sub = nil
				for _, m := range r.Messages[1:] {
					sub = append(sub, m.Role+" "+m.Content)
				}
			}
		}
		if got := strings.Join(sub, "\n"); got != "user do job\nassistant first\nuser more" {
			t.Errorf("the sub-agent's conversation is:\n%s", got)
		}
		if got := field(last(t, s.told, "assistant.message"), "content"); got != "Done." {
			t.Errorf("the last answer is %q", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "job", "sync")}},
		first("do job", modeltest.Reply{Text: "first"}),
		first("go", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c2", "write_agent", `{"agent_id":"job","message":"more"}`)}}),
		first("do job", modeltest.Reply{Text: "second", Delay: 30 * time.Second}),
		first("go", modeltest.Reply{Text: "I wait."}),
		after("go", "completed successfully", modeltest.Reply{Text: "Done."}))
}

// Hooks see the tool calls of a sub-agent under its id, and those of files its start and end.
func TestHooksOfASubAgent(t *testing.T) {
	p := &scripts{}
	d := &desk{fs: vfs.NewMem(), tools: delegating}
	bubble(t, d, func(d *desk) {
		d.stop()
		if err := d.fs.MkdirAll("/work/.github/hooks", 0o755); err != nil {
			t.Fatal(err)
		}
		file := commands("subagentStart", "begins", "subagentStop", "ends", "preToolUse", "calls")
		if err := vfs.WriteFileAtomic(d.fs, "/work/.github/hooks/a.json", []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		d.start(registry.Options{RunScript: p.run, Resolve: filepath.Clean})
		cfg := tools("lookup")
		cfg.EnableFileHooks = yes()
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":"found"`)
		s.until("session.idle")
		var ran []string
		for _, script := range p.ran {
			var input struct{ SessionID, ToolName, StopReason string }
			if err := json.Unmarshal(script.Input, &input); err != nil {
				t.Fatal(err)
			}
			ran = append(ran, strings.TrimSpace(script.Text+" "+input.SessionID+" "+input.ToolName+input.StopReason))
		}
		want := "calls s1 task\nbegins job\ncalls job lookup\nends job completed"
		if got := strings.Join(ran, "\n"); got != want {
			t.Errorf("the hooks ran:\n%s\nwant:\n%s", got, want)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "general-purpose", "job", "sync")}},
		first("do job", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}}),
		first("do job", modeltest.Reply{Text: "It is there."}),
		modeltest.Reply{Text: "Done."})
}
