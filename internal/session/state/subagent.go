package state

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Launch describes how a sub-agent was started, as its subagent.started says.
type Launch struct {
	// ToolCallID is the call of the task tool that started it; "" if a client started it.
	ToolCallID string
	// Agent and DisplayName name the agent's definition.
	Agent, DisplayName string
	// Name and Description name this sub-agent and its task; they are empty in logs of other
	// runtimes.
	Name, Description string
	// Parent is the id of the sub-agent that started it; "" for the main agent.
	Parent string
	// Background is true if its starter does not wait for it and is owed a notice.
	Background bool
	// Noticed is true once the starter was notified that the sub-agent has ended.
	Noticed bool
	// Canceled is true if the sub-agent was stopped before it was done, and Failed if it
	// failed.
	Canceled, Failed bool
}

// launch starts the thread of a sub-agent, or continues one that has ended.
func (t *Thread) launch(s *State, data wire.Raw) {
	if t.AgentID == "" {
		return
	}
	s.AgentStarts++
	t.Finished = false
	t.Launch = Launch{
		ToolCallID: data.Get("toolCallId").Text(), Agent: data.Get("agentName").Text(), DisplayName: data.Get("agentDisplayName").Text(),
		Name: data.Get(wire.FieldTask).Get("name").Text(), Description: data.Get(wire.FieldTask).Get("description").Text(),
		Parent: data.Get("parentId").Text(), Background: data.Get("executionMode").Text() == "background",
	}
}

// finish ends the thread of a sub-agent. Its messages leave memory as soon as its calls
// have a result; they stay in the log.
func (t *Thread) finish(s *State, data wire.Raw) {
	if t.AgentID == "" {
		return
	}
	t.Finished, t.OpenTurn, t.Summarizing = true, "", false
	t.Launch.Canceled, t.Launch.Failed = data.Get("cancelled").True(), data.Get("error") != nil
	t.Release(s.Seq)
}

// Answer returns the text of the last answer of the model that is in memory, "" if there is
// none.
func (t *Thread) Answer() string {
	for _, m := range slices.Backward(t.Messages) {
		if !m.FromUser && m.Text != "" {
			return m.Text
		}
	}
	return ""
}

// addNotice adds a notice of the runtime, which the model reads like a message of the user.
// One about a sub-agent marks that its starter was notified.
func (t *Thread) addNotice(s *State, data wire.Raw) {
	t.add(Message{FromUser: true, Text: data.Get("content").Text()})
	if about := s.Thread(data.Get("kind").Get("agentId").Text()); about != nil && about.AgentID != "" {
		about.Launch.Noticed = true
	}
}

// countAgentTurn counts a turn of a sub-agent.
func (t *Thread) countAgentTurn() {
	if t.AgentID != "" {
		t.Turns++
	}
}

func (t *Thread) setSystem(_ *State, data wire.Raw) {
	text := data.Get("content").Text()
	t.System, t.SystemBytes = Digest(text), int64(len(text))
}
