package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// delegating is a toolbox with the tools for sub-agents.
func delegating(h tool.Host) session.Toolbox {
	tools := append([]tool.Tool{tool.Task(h), tool.AskUser(h), tool.TaskComplete(), tool.NewSkill(h)}, tool.AgentTools(h)...)
	return session.Toolbox{Tools: tools}
}

// delegates runs a test with the tools for sub-agents.
func delegates(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	t.Helper()
	bubble(t, &desk{fs: vfs.NewMem(), tools: delegating}, f, replies...)
}

// taskCall is a call of task as the model makes it.
func taskCall(id, agentType, name, mode string) modeltest.ToolCall {
	return call(id, "task", fmt.Sprintf(`{"agent_type":%q,"name":%q,"description":"about %s","prompt":"do %s","mode":%q}`, agentType, name, name, name, mode))
}

// first answers requests of the conversation that begins with a prompt.
func first(prompt string, r modeltest.Reply) modeltest.Reply {
	r.When = func(q *modeltest.Request) bool {
		for _, m := range q.Messages {
			if m.Role == "user" {
				return m.Content == prompt || strings.HasSuffix(m.Content, "\n"+prompt)
			}
		}
		return false
	}
	return r
}

// after answers requests of that conversation that come after a text.
func after(prompt, text string, r modeltest.Reply) modeltest.Reply {
	r = first(prompt, r)
	begins := r.When
	r.When = func(q *modeltest.Request) bool { return begins(q) && strings.Contains(string(q.Raw), text) }
	return r
}

// story lists the events about sub-agents and turns, without the rest.
func story(events []wire.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e.Type {
		case "session.background_tasks_changed", "assistant.turn_start", "assistant.turn_end", "assistant.idle", "pending_messages.modified",
			"session.start", "session.title_changed", "session.skills_loaded", "assistant.usage", "session.usage_info", "system.message":
			continue
		}
		if e.Ephemeral && e.Type != "session.idle" {
			continue
		}
		b.WriteString(string(e.Type))
		if e.AgentID != "" {
			b.WriteString("@" + e.AgentID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// ends counts, for each sub-agent, its starts and its ends.
func ends(events []wire.Event) map[string][2]int {
	count := map[string][2]int{}
	for _, e := range events {
		n := count[e.AgentID]
		switch e.Type {
		case "subagent.started":
			n[0]++
		case "subagent.completed", "subagent.failed":
			n[1]++
		default:
			continue
		}
		count[e.AgentID] = n
	}
	return count
}

// checkEnds fails the test unless each of n sub-agents has as many ends as starts.
func checkEnds(t *testing.T, events []wire.Event, n int) {
	t.Helper()
	count := ends(events)
	if len(count) != n {
		t.Errorf("%d sub-agents, want %d", len(count), n)
	}
	for id, c := range count {
		if c[0] != c[1] {
			t.Errorf("%s was started %d times and has %d ends", id, c[0], c[1])
		}
	}
}
