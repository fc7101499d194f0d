package agents

import (
	"cmp"
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// inbox has the messages and notices that wait for one agent. It belongs to the session's
// goroutine, except for news.
type inbox struct {
	messages []string    // to a sub-agent
	notices  []*Subagent // have ended; the agent is still to be notified of them
	owed     int         // sub-agents in the background that still work and will send a notice
	news     chan struct{}
}

// wake reports that the inbox has changed. At most one report waits.
func (i *inbox) wake() {
	select {
	case i.reports() <- struct{}{}:
	default:
	}
}

// reports is the channel of wake. It is made on the session's goroutine.
func (i *inbox) reports() chan struct{} {
	if i.news == nil {
		i.news = make(chan struct{}, 1)
	}
	return i.news
}

// inboxOf returns the inbox of an agent; nil is the main agent.
func (a *Agents) inboxOf(b *Subagent) *inbox {
	if b == nil {
		return &a.inbox
	}
	return &b.inbox
}

// owe notes that the asker of a sub-agent in the background waits for the notice of its end.
func (a *Agents) owe(b *Subagent) {
	a.inboxOf(b.asker).owed++
	b.owed = true
}

// awake is a sub-agent if it works, else the nearest one above it that does; nil is the main agent.
func awake(b *Subagent) *Subagent {
	for b != nil && b.status != tool.AgentRunning {
		b = b.parent
	}
	return b
}

// Deliver records what waits in the inbox of an agent, so that its next call has it; nil is the main
// agent.
func (a *Agents) Deliver(to *Subagent) error {
	in, id := a.inboxOf(to), ""
	if to != nil {
		id = to.id
	}
	var events []wire.Data
	for _, b := range in.notices {
		events = append(events, b.notice())
	}
	for _, text := range in.messages {
		events = append(events, &wire.UserMessage{Content: text, Source: new("agent")})
	}
	if err := a.session.Record(id, events...); err != nil {
		return err
	}
	in.notices, in.messages = nil, nil
	return nil
}

// maxInbox bounds the messages that wait for a sub-agent.
const maxInbox = 100

// write sends a sub-agent a message: before its next step if it works, or else as the task
// with which it continues. in and asker are those of [Agents.resume].
func (a *Agents) write(b *Subagent, in Worker, asker *Subagent, message string) error {
	if b.status != tool.AgentRunning {
		return a.resume(b, in, asker, message)
	}
	if len(b.inbox.messages) >= maxInbox {
		return fault.New(fault.Unavailable, "session.tasks", a.id, "%d messages wait for %s already", maxInbox, b.id)
	}
	b.inbox.messages = append(b.inbox.messages, message)
	b.inbox.wake()
	return nil
}

// Continues reports whether a sub-agent that calls no more tools continues, because it has a
// message, or a notice of one of its own sub-agents. It waits for its sub-agents that still
// work. It is called on the goroutine of its conversation.
func (b *Subagent) Continues(ctx context.Context) bool {
	for {
		more, wait := false, false
		var news chan struct{}
		_ = b.of.session.Post(context.Background(), func() error { // also while the session closes
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

// notice tells a model that a sub-agent has ended. Recordings match its text.
func (b *Subagent) notice() *wire.SystemNotification {
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
