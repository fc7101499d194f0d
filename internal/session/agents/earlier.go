package agents

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Sub-agents of earlier processes, and those that this one has forgotten, are in the log only, and are read
// when somebody asks for one.

// find returns a sub-agent by its id, or the newest one with that name if no id matches; nil if
// there is none.
func (a *Agents) find(id string) *Subagent {
	if b := a.recall(id); b != nil {
		return b
	}
	if b := a.newest(func(b *Subagent) bool { return b.task.Name == id }); b != nil {
		return b
	}
	for _, t := range slices.Backward(a.session.State().Threads()[1:]) {
		if t.Launch.Name == id {
			return a.recall(t.AgentID)
		}
	}
	return nil
}

// byID returns a sub-agent that is in memory, nil if there is none with that id.
func (a *Agents) byID(id string) *Subagent {
	return a.newest(func(b *Subagent) bool { return b.id == id })
}

// newest returns the newest sub-agent for which fits is true, nil if there is none.
func (a *Agents) newest(fits func(*Subagent) bool) *Subagent {
	for _, b := range slices.Backward(a.subs) {
		if fits(b) {
			return b
		}
	}
	return nil
}

// recall returns a sub-agent by its id, from the log if it is not in memory, and then with those that started
// it; nil if there is none. below are those that it is said to have started: a log may name a circle.
func (a *Agents) recall(id string, below ...string) *Subagent {
	if b := a.byID(id); b != nil {
		return b
	}
	t := a.session.State().Thread(id)
	if id == "" || t == nil || slices.Contains(below, id) {
		return nil
	}
	b := a.ofLog(t)
	b.parent = a.recall(t.Launch.Parent, append(below, id)...)
	b.asker = b.parent
	a.prune()
	a.subs = slices.Insert(a.subs, 0, b)
	return b
}

// ofLog is a sub-agent as the log has it.
func (a *Agents) ofLog(t *state.Thread) *Subagent {
	l := t.Launch
	b := &Subagent{
		of: a, id: t.AgentID, def: agent.Definition{Name: l.Agent, DisplayName: l.DisplayName}, status: tool.AgentCompleted, background: l.Background,
		task: tool.AgentTask{Agent: l.Agent, Name: l.Name, Description: l.Description}, done: make(chan struct{}), turns: t.Turns, earlier: true,
	}
	close(b.done)
	switch {
	case l.Failed:
		b.status = tool.AgentFailed
	case l.Canceled:
		b.status = tool.AgentCanceled
	}
	return b
}

// Missed returns the notices of the sub-agents whose end the main agent does not know, and of which this
// process has no notice either: their process died.
func (a *Agents) Missed() (notices []wire.Data) {
	for _, t := range a.session.State().Threads()[1:] {
		l := t.Launch
		if !t.Finished || !l.Background || l.Parent != "" || l.Noticed || l.Canceled || a.owes(t.AgentID) {
			continue
		}
		notices = append(notices, a.ofLog(t).notice())
	}
	return notices
}

// owes reports whether the main agent will be notified of the end of a sub-agent.
func (a *Agents) owes(id string) bool {
	return slices.ContainsFunc(a.inbox.notices, func(b *Subagent) bool { return b.id == id })
}

// Lost is the end of a sub-agent whose process died; none if it has ended before, or if
// the log is of another runtime and does not say how it began.
func Lost(t *state.Thread) []wire.Data {
	if t.Finished || t.Launch.Agent == "" {
		return nil
	}
	var events []wire.Data
	if t.Summarizing {
		events = append(events, wire.CompactionLost(t.Attempt))
	}
	return append(events, &wire.SubagentFailed{
		AgentName: t.Launch.Agent, AgentDisplayName: t.Launch.DisplayName, ToolCallID: t.Launch.ToolCallID, Error: textLost,
	})
}

// textLost is why a sub-agent failed that a process left behind.
const textLost = "The process that ran the agent ended before the agent was done."

// read reads the last answer of a sub-agent from the log, if it is not in memory.
func (a *Agents) read(ctx context.Context, b *Subagent) error {
	type stored struct {
		text func() (string, error)
	}
	from, err := mailbox.Ask(ctx, a.session.Post, func() (s stored, _ error) {
		talk := a.session.State().Thread(b.id)
		if !b.earlier || b.text != "" || talk == nil {
			return s, nil
		}
		was, cuts := *talk, a.session.State().Cuts()
		s.text = func() (string, error) {
			all, err := was.All(cuts, a.session.Read(ctx, 1))
			was.Messages = all
			return was.Answer(), err
		}
		return s, nil
	})
	if err != nil || from.text == nil {
		return err
	}
	text, err := from.text()
	if err != nil {
		return err
	}
	return a.session.Post(ctx, func() error { b.text = text; return nil })
}
