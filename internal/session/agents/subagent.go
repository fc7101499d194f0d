package agents

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Subagent is one sub-agent: an agent with a conversation of its own in the session, which
// another agent or a client has started. It works on a goroutine of its own, with a [Worker] that
// shares the budget of the run that it was started in.
//
// Its methods are called on the session's goroutine, except for Note, and for those whose comments say
// otherwise.
type Subagent struct {
	of     *Agents
	id     string
	parent *Subagent // that started it; nil: the main agent, or a client
	callID string    // of the call that started it; "" if a client did

	// The rest belongs to the session's goroutine. def, effort and worker change only while the
	// sub-agent does not work.
	def        agent.Definition
	effort     string // of its model calls
	worker     Worker
	asker      *Subagent // gave it its present task, and is notified of its end; nil: the main agent, or a client
	task       tool.AgentTask
	status     tool.AgentStatus
	background bool
	earlier    bool   // it is of the log: it ended in an earlier process, was forgotten, or a client has removed it
	chosen     string // the model that its worker began with, if the session names one
	model      string // of its last call; "" before the first
	quiet      bool   // its asker is not notified of its end
	owed       bool   // the inbox of its asker counts it
	inbox      inbox
	begin, end time.Time
	active     time.Duration // how long it has worked, before begin
	turns      int
	text       string        // of its last answer, once it has ended
	failure    string        // why it failed
	done       chan struct{} // closed when it has ended
	moved      chan struct{} // closed when it is moved to the background
	progress   progress
}

// ID returns the sub-agent's id, on any goroutine.
func (b *Subagent) ID() string { return b.id }

// Definition returns what the sub-agent is. Its conversation may ask for it, too.
func (b *Subagent) Definition() agent.Definition { return b.def }

// OfClient reports whether a client has started the sub-agent, and not the call of an agent. Any goroutine
// may ask.
func (b *Subagent) OfClient() bool { return b.callID == "" }

// Effort returns the reasoning effort of the sub-agent's model calls; "" for that of the model.
func (b *Subagent) Effort() string { return b.effort }

// Calls notes the model of a call that begins.
func (b *Subagent) Calls(model string) { b.model = model }

// depth is how deep an agent is nested: 0 is the main agent, which is nil.
func (b *Subagent) depth() (n int) {
	for ; b != nil; b = b.parent {
		n++
	}
	return n
}

// source is the author of the prompt, as the protocol names it.
func (b *Subagent) source() string {
	if b.callID == "" {
		return "user"
	}
	return "agent-" + cmp.Or(b.starter(), "main")
}

// starter is the id of the agent that started it. The main agent is called "main", as in the
// protocol's metrics.
func (b *Subagent) starter() string {
	if b.parent == nil {
		return "main"
	}
	return b.parent.id
}

func (b *Subagent) startedEvent() *wire.SubagentStarted {
	mode := "sync"
	if b.background {
		mode = "background"
	}
	e := &wire.SubagentStarted{
		AgentName: b.def.Name, AgentDisplayName: b.displayName(), AgentDescription: b.def.Description, AgentType: &b.def.Name,
		ExecutionMode: &mode, ToolCallID: b.callID, Resumable: new(false),
		Model: wire.Optional(cmp.Or(b.task.Model, b.def.Model)),
	}
	if b.parent != nil {
		e.ParentID = &b.parent.id
	}
	return e
}

func (b *Subagent) displayName() string { return cmp.Or(b.def.DisplayName, b.def.Name) }

// ended records the end of a sub-agent, and notifies the agent that gave it its task. It is
// called on the session's goroutine.
func (a *Agents) ended(b *Subagent, out turn.Outcome) {
	b.end = time.Now()
	b.active += b.end.Sub(b.begin)
	if talk := a.session.State().Thread(b.id); talk != nil {
		b.text, b.turns = talk.Answer(), talk.Turns
	}
	event := b.endEvent(out)
	if a.session.Record(b.id, event) != nil && !a.session.FinishesLater() {
		a.session.Emit(b.id, event)
	}
	for _, child := range a.subs {
		if child.asker == b && child.status == tool.AgentRunning {
			child.quiet, child.owed = true, false // b gets no notice any more, and if it continues, its inbox counts only new ones
			child.worker.Stop()
		}
	}
	a.works(b.id, nil)
	a.running--
	a.session.Finish(b.id, out.Err)
	if b.owed {
		a.inboxOf(b.asker).owed--
		b.owed = false
	}
	to := a.inboxOf(awake(b.asker))
	if b.background && !b.quiet {
		to.notices = append(to.notices, b)
	}
	late := b.inbox.messages // they came while it was ending
	close(b.done)
	if len(late) > 0 && b.status == tool.AgentCompleted && !b.quiet {
		if err := a.resume(b, nil, awake(b.asker), strings.Join(late, "\n\n")); err != nil {
			a.logs.Warn("a message to a sub-agent was lost", "agent", b.id, "err", err)
		}
	}
	to.wake()
	a.inbox.wake()
	a.changed()
}

// endEvent decides on the status of a sub-agent that has ended, and returns the event of its
// end.
func (b *Subagent) endEvent(out turn.Outcome) wire.Data {
	took := b.end.Sub(b.begin).Milliseconds()
	tokens, calls := b.worker.Spent()
	model := wire.Optional(b.model)
	why := cmp.Or(out.Err, out.Stopped)
	if why == nil && out.Incomplete != "" {
		why = errors.New(out.Incomplete)
	}
	if out.Aborted || why == nil {
		b.status = tool.AgentCompleted
		if out.Aborted {
			b.status = tool.AgentCanceled
		}
		return &wire.SubagentCompleted{
			AgentName: b.def.Name, AgentDisplayName: b.displayName(), ToolCallID: b.callID, Model: model, DurationMs: &took,
			TotalTokens: &tokens, TotalToolCalls: &calls, Cancelled: wire.Optional(out.Aborted),
		}
	}
	b.status, b.failure = tool.AgentFailed, fault.Message(why)
	if out.Stopped != nil {
		b.failure = "the budget of the run is used up: " + b.failure
	}
	return &wire.SubagentFailed{
		AgentName: b.def.Name, AgentDisplayName: b.displayName(), ToolCallID: b.callID, Model: model, DurationMs: &took,
		TotalTokens: &tokens, TotalToolCalls: &calls, Error: b.failure,
	}
}

// Reason is how a sub-agent ended, in words for hooks.
func Reason(out turn.Outcome) string {
	switch {
	case out.Aborted:
		return "cancelled"
	case out.Err != nil || out.Stopped != nil || out.Incomplete != "":
		return "failed"
	}
	return "completed"
}
