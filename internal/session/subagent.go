package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// subagent is one sub-agent: an agent with a conversation of its own in the session, which
// another agent or a client has started. It works on a goroutine of its own, with a [run] that
// shares the budget of the run that it was started in.
type subagent struct {
	s      *Session
	id     string
	parent *subagent // that started it; nil: the main agent, or a client
	asker  *subagent // gave it its present task, and is notified of its end; nil: the main agent, or a client
	def    agent.Definition
	task   tool.AgentTask
	callID string // of the call that started it; "" if a client did
	effort string // of its model calls
	// servers are those that its definition brings; nil if it brings none. They are set before its
	// goroutine starts.
	servers *servers.OfAgent
	thread  *thread
	cancel  context.CancelCauseFunc
	begin   time.Time

	// Of its own goroutine.
	instructions string

	// The rest belongs to the session's goroutine.
	status     tool.AgentStatus
	background bool
	earlier    bool   // it ended in an earlier process
	model      string // of its last call; "" before the first
	quiet      bool   // its asker is not notified of its end
	owed       bool   // the inbox of its asker counts it
	inbox      inbox
	end        time.Time
	active     time.Duration // how long it has worked, before begin
	turns      int
	text       string        // of its last answer, once it has ended
	failure    string        // why it failed
	done       chan struct{} // closed when it has ended
	moved      chan struct{} // closed when it is moved to the background
	progress   progress
}

// source is the author of the prompt, as the protocol names it.
func (b *subagent) source() string {
	if b.callID == "" {
		return "user"
	}
	return "agent-" + cmp.Or(b.starter(), "main")
}

// starter is the id of the agent that started it. The main agent is called "main", as in the
// protocol's metrics.
func (b *subagent) starter() string {
	if b.parent == nil {
		return "main"
	}
	return b.parent.id
}

func (b *subagent) startedEvent() *wire.SubagentStarted {
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

func (b *subagent) displayName() string { return cmp.Or(b.def.DisplayName, b.def.Name) }

// work is the goroutine of the sub-agent.
func (b *subagent) work(ctx context.Context) {
	defer b.servers.Close()
	defer b.cancel(nil)
	out := b.converse(ctx)
	_ = b.s.post(context.Background(), func() error { b.s.agents.ended(b, out); return nil }) // a stopped sub-agent ends too
}

// converse runs the loop. A panic on the way is a failure of the sub-agent.
func (b *subagent) converse(ctx context.Context) (out turn.Outcome) {
	t := b.thread
	defer t.spending.free()
	defer func() {
		if p := recover(); p != nil {
			b.s.logs.Error("a sub-agent panicked", "agent", b.id, "panic", fmt.Sprint(p), "stack", trace())
			out = turn.Outcome{Err: fault.New(fault.Internal, "session", b.id, "panic: %v", p)}
		}
	}()
	ctx, cancel := t.timed(ctx)
	defer cancel()
	if b.callID == "" { // the run of a call has looked already
		if err := b.s.look(ctx); err != nil {
			return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
		}
	}
	b.instructions = b.s.discovery.AgentText(b.def)
	b.s.hooks.SubagentStart(ctx, b.id, b.def.Name)
	for {
		if out = t.once(ctx); !t.recovers(ctx, t, out.Err) {
			break
		}
	}
	b.s.hooks.SubagentStop(context.WithoutCancel(ctx), b.id, b.def.Name, reason(out))
	if why := context.Cause(ctx); out.Aborted && why != nil && fault.KindOf(why) == fault.Denied {
		return turn.Outcome{Stopped: why}
	}
	return out
}

// reason is how a sub-agent ended, in words for hooks.
func reason(out turn.Outcome) string {
	switch {
	case out.Aborted:
		return "cancelled"
	case out.Err != nil || out.Stopped != nil || out.Incomplete != "":
		return "failed"
	}
	return "completed"
}

// continues reports whether a sub-agent that calls no more tools continues, because it has a
// message, or a notice of one of its own sub-agents. It waits for its sub-agents that still
// work.
func (b *subagent) continues(ctx context.Context) bool {
	for {
		more, wait := false, false
		var news chan struct{}
		_ = b.s.post(context.Background(), func() error { // also while the session closes
			more = len(b.inbox.messages)+len(b.inbox.notices) > 0
			wait = b.inbox.owed > 0
			news = b.inbox.reports()
			return nil
		})
		if more || !wait || ctx.Err() != nil {
			return more && ctx.Err() == nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return false
		}
	}
}

// stop ends the work of a sub-agent. It returns at once.
func (b *subagent) stop() { b.thread.stop() }

// ended records the end of a sub-agent, and notifies the agent that gave it its task. It is
// called on the session's goroutine.
func (a *Agents) ended(b *subagent, out turn.Outcome) {
	b.end = time.Now()
	b.active += b.end.Sub(b.begin)
	if talk := a.s.state.Thread(b.id); talk != nil {
		b.text, b.turns = talk.Answer(), talk.Turns
	}
	event := b.endEvent(out)
	if a.s.log.Record(b.id, event) != nil && !finishesLater(a.s) {
		a.s.log.Emit(b.id, event)
	}
	for _, child := range a.subs {
		if child.asker == b && child.status == tool.AgentRunning {
			child.quiet, child.owed = true, false // if it continues, it waits for others
			child.stop()
		}
	}
	a.mu.Lock()
	delete(a.working, b.id)
	a.mu.Unlock()
	a.running--
	a.s.external.Finish(b.id, cmp.Or(a.s.log.Cannot(), out.Err, errNotRecorded))
	if b.owed {
		a.of(b.asker).owed--
		b.owed = false
	}
	to := a.of(a.awake(b.asker))
	if b.background && !b.quiet {
		to.notices = append(to.notices, b)
	}
	late := b.inbox.messages // they came while it was ending
	close(b.done)
	if len(late) > 0 && b.status == tool.AgentCompleted && !b.quiet {
		if err := a.resume(b, nil, a.awake(b.asker), strings.Join(late, "\n\n")); err != nil {
			a.s.logs.Warn("a message to a sub-agent was lost", "agent", b.id, "err", err)
		}
	}
	to.wake()
	a.inbox.wake()
	a.changed()
}

// owe notes that the asker of a sub-agent in the background waits for the notice of its end.
func (a *Agents) owe(b *subagent) {
	a.of(b.asker).owed++
	b.owed = true
}

// awake is a sub-agent if it works, else the nearest one above it that does; nil is the main agent.
func (a *Agents) awake(b *subagent) *subagent {
	for b != nil && b.status != tool.AgentRunning {
		b = b.parent
	}
	return b
}

// endEvent decides on the status of a sub-agent that has ended, and returns the event of its
// end.
func (b *subagent) endEvent(out turn.Outcome) wire.Data {
	took, tokens, calls := b.end.Sub(b.begin).Milliseconds(), b.thread.spending.total(), b.thread.calls.Load()
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

// deliver records what waits in the inbox of the thread's agent, so that its next call has it.
// It is called on the session's goroutine.
func (t *thread) deliver() error {
	in := t.s.agents.of(t.sub)
	var events []wire.Data
	for _, b := range in.notices {
		events = append(events, b.notice())
	}
	for _, text := range in.messages {
		events = append(events, &wire.UserMessage{Content: text, Source: new("agent")})
	}
	if err := t.s.log.Record(t.agentID, events...); err != nil {
		return err
	}
	in.notices, in.messages = nil, nil
	return nil
}

// notice tells a model that a sub-agent has ended. Recordings match its text.
func (b *subagent) notice() *wire.SystemNotification {
	name := cmp.Or(b.task.Name, b.id)
	status := wire.AgentNoticeStatus("completed")
	text := fmt.Sprintf("Agent %q (%s) has completed successfully.", name, b.def.Name)
	switch b.status {
	case tool.AgentFailed:
		status, text = "failed", fmt.Sprintf("Agent %q (%s) has failed.", name, b.def.Name)
	case tool.AgentCanceled:
		status, text = "failed", fmt.Sprintf("Agent %q (%s) was cancelled.", name, b.def.Name)
	}
	text += fmt.Sprintf(" Use read_agent with agent_id %q to retrieve the full results.", b.id)
	return &wire.SystemNotification{
		Content: "<system_notification>\n" + text + "\n</system_notification>",
		Kind: wire.AgentNotice{
			AgentID: b.id, AgentType: b.def.Name, DisplayName: wire.Optional(b.task.Name), Description: wire.Optional(b.task.Description), Status: status,
		},
	}
}
