package session

import (
	"context"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The methods of [tool.Agents], for the tools that start sub-agents.

// AgentChoices implements [tool.Agents]. It is called on the session's goroutine, when the
// definitions of tools are read.
func (h host) AgentChoices() (all []tool.AgentChoice) {
	for _, d := range h.s.agents.choosable() {
		all = append(all, tool.AgentChoice{Name: d.Name, Description: firstLine(d)})
	}
	return all
}

// maxAgentDescription bounds what the model reads of an agent's description, in bytes.
const maxAgentDescription = 400

// firstLine is what the model reads about an agent.
func firstLine(d agent.Definition) string {
	line, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
	if len(line) > maxAgentDescription {
		line = strings.ToValidUTF8(line[:maxAgentDescription], "") + "…"
	}
	return line
}

// StartAgent implements [tool.Agents].
func (h host) StartAgent(ctx context.Context, c tool.Call, t tool.AgentTask) (tool.SubAgent, error) {
	a := &h.s.agents
	type begun struct { // as it is now: it may continue with a message later
		*subagent
		stop        func() bool
		done, moved <-chan struct{}
	}
	// Without the context, because a sub-agent that is started must have a call that waits.
	b, err := mailbox.Ask(context.WithoutCancel(ctx), h.s.post, func() (now begun, _ error) {
		if ctx.Err() != nil {
			return now, ctx.Err()
		}
		l := launching{task: t, run: h.s.run, callID: c.ID}
		if c.AgentID != "" {
			if l.parent = a.find(c.AgentID); l.parent == nil {
				return now, fault.New(fault.NotFound, "session", h.s.id, "the agent %s is not known", c.AgentID)
			}
			l.run = l.parent.thread.run
		}
		b, err := a.launch(l)
		if err != nil {
			return now, err
		}
		return begun{b, b.thread.stop, b.done, b.moved}, nil
	})
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	if !t.Background {
		select {
		case <-b.done:
		case <-b.moved:
		case <-ctx.Done():
			b.stop()
			<-b.done
		}
	}
	return h.subAgent(b.subagent)
}

// forModel is an error without the method that a client would read in it.
func forModel(err error) error { return fault.New(fault.KindOf(err), "", "", "%s", fault.Message(err)) }

// subAgent describes a sub-agent, also while the session closes.
func (h host) subAgent(b *subagent) (tool.SubAgent, error) {
	return mailbox.Ask(context.Background(), h.s.post, func() (tool.SubAgent, error) { return b.describe(), nil })
}

// describe returns the state of a sub-agent. It is called on the session's goroutine.
func (b *subagent) describe() tool.SubAgent {
	d := tool.SubAgent{
		ID: b.id, Agent: b.def.Name, Name: b.task.Name, Description: b.task.Description, Status: b.status, Background: b.background,
		Elapsed: b.active, Turns: b.turns, Text: b.text, Error: b.failure,
	}
	if talk := b.s.state.Thread(b.id); b.status == tool.AgentRunning && talk != nil {
		d.Elapsed, d.Turns, d.Text = b.active+time.Since(b.begin), talk.Turns, talk.Answer()
	}
	return d
}

// SubAgent implements [tool.Agents].
func (h host) SubAgent(ctx context.Context, id string, wait time.Duration) (tool.SubAgent, error) {
	b, err := mailbox.Ask(ctx, h.s.post, func() (*subagent, error) { return h.s.agents.known(id) })
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	if wait > 0 {
		done, err := mailbox.Ask(ctx, h.s.post, func() (<-chan struct{}, error) { return b.done, nil })
		if err != nil {
			return tool.SubAgent{}, err
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
		case <-ctx.Done():
			return tool.SubAgent{}, ctx.Err()
		}
	}
	if err := h.s.agents.read(ctx, b); err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	return h.subAgent(b)
}

// known is find with an error for the model.
func (a *Agents) known(id string) (*subagent, error) {
	if b := a.find(id); b != nil {
		return b, nil
	}
	return nil, fault.New(fault.NotFound, "session.tasks", a.s.id, "there is no sub-agent %q; list_agents lists them", id)
}

// read reads the last answer of a sub-agent of an earlier process from the log.
func (a *Agents) read(ctx context.Context, b *subagent) error {
	type stored struct {
		text func() (string, error)
	}
	from, err := mailbox.Ask(ctx, a.s.post, func() (s stored, _ error) {
		talk := a.s.state.Thread(b.id)
		if !b.earlier || b.text != "" || talk == nil {
			return s, nil
		}
		was, cuts := *talk, a.s.state.Cuts()
		s.text = func() (string, error) {
			all, err := was.All(cuts, a.s.History().records(ctx)())
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
	return a.s.post(ctx, func() error { b.text = text; return nil })
}

// SubAgents implements [tool.Agents].
func (h host) SubAgents(ctx context.Context) ([]tool.SubAgent, error) {
	return mailbox.Ask(ctx, h.s.post, func() (all []tool.SubAgent, _ error) {
		h.s.agents.load()
		for _, b := range h.s.agents.subs {
			all = append(all, b.describe())
		}
		return all, nil
	})
}

// WriteAgent implements [tool.Agents].
func (h host) WriteAgent(ctx context.Context, c tool.Call, id, message string) (tool.SubAgent, error) {
	b, err := mailbox.Ask(ctx, h.s.post, func() (*subagent, error) {
		b, err := h.s.agents.known(id)
		if err != nil {
			return nil, err
		}
		if b.id == c.AgentID {
			return nil, fault.New(fault.Invalid, "session.tasks", h.s.id, "an agent cannot write to itself")
		}
		in, asker := h.s.run, (*subagent)(nil)
		if from := h.s.agents.live(c.AgentID); from != nil {
			in, asker = from.run, from.sub
		}
		return b, h.s.agents.write(b, in, asker, message)
	})
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	return h.subAgent(b)
}

// maxInbox bounds the messages that wait for a sub-agent.
const maxInbox = 100

// write sends a sub-agent a message: before its next step if it works, or else as the task
// with which it continues.
func (a *Agents) write(b *subagent, in *run, asker *subagent, message string) error {
	if b.status != tool.AgentRunning {
		return a.resume(b, in, asker, message)
	}
	if len(b.inbox.messages) >= maxInbox {
		return fault.New(fault.Unavailable, "session.tasks", a.s.id, "%d messages wait for %s already", maxInbox, b.id)
	}
	b.inbox.messages = append(b.inbox.messages, message)
	b.inbox.wake()
	return nil
}
