package agents

import (
	"context"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Tools are the sub-agents of a session as the tools for them see them; they implement [tool.Agents].
type Tools struct{ a *Agents }

// Tools returns what the tools for sub-agents need.
func (a *Agents) Tools() Tools { return Tools{a} }

// AgentChoices implements [tool.Agents]. It is called on the session's goroutine, when the
// definitions of tools are read.
func (ts Tools) AgentChoices() (all []tool.AgentChoice) {
	for _, d := range ts.a.choosable() {
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
func (ts Tools) StartAgent(ctx context.Context, c tool.Call, t tool.AgentTask) (tool.SubAgent, error) {
	a := ts.a
	if err := a.named.lookUp(ctx, a, t.Agent, t.Model); err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	type begun struct { // as it is now: it may continue with a message later
		*Subagent
		worker      Worker
		waitsNot    bool
		done, moved <-chan struct{}
	}
	// Without the context, because a sub-agent that is started must have a call that waits.
	b, err := mailbox.Ask(context.WithoutCancel(ctx), ts.a.session.Post, func() (now begun, _ error) {
		if ctx.Err() != nil {
			return now, ctx.Err()
		}
		l := launching{task: t, in: a.Live(""), callID: c.ID}
		if c.AgentID != "" {
			if l.parent = a.find(c.AgentID); l.parent == nil {
				return now, fault.New(fault.NotFound, "session", ts.a.id, "the agent %s is not known", c.AgentID)
			}
			l.in = l.parent.worker
		}
		b, err := a.launch(l)
		if err != nil {
			return now, err
		}
		return begun{b, b.worker, b.background, b.done, b.moved}, nil
	})
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	if !b.waitsNot {
		select {
		case <-b.done:
		case <-b.moved:
		case <-ctx.Done():
			b.worker.Stop()
			<-b.done
		}
	}
	return ts.subAgent(b.Subagent)
}

// forModel is an error without the method that a client would read in it.
func forModel(err error) error { return fault.New(fault.KindOf(err), "", "", "%s", fault.Message(err)) }

// subAgent describes a sub-agent, also while the session closes.
func (ts Tools) subAgent(b *Subagent) (tool.SubAgent, error) {
	return mailbox.Ask(context.Background(), ts.a.session.Post, func() (tool.SubAgent, error) { return b.describe(), nil })
}

// describe returns the state of a sub-agent. It is called on the session's goroutine.
func (b *Subagent) describe() tool.SubAgent {
	d := tool.SubAgent{
		ID: b.id, Agent: b.def.Name, Name: b.task.Name, Description: b.task.Description, Status: b.status, Background: b.background,
		Elapsed: b.active, Turns: b.turns, Text: b.text, Error: b.failure,
	}
	if talk := b.of.session.State().Thread(b.id); b.status == tool.AgentRunning && talk != nil {
		d.Elapsed, d.Turns, d.Text = b.active+time.Since(b.begin), talk.Turns, talk.Answer()
	}
	return d
}

// SubAgent implements [tool.Agents].
func (ts Tools) SubAgent(ctx context.Context, id string, wait time.Duration) (tool.SubAgent, error) {
	b, err := mailbox.Ask(ctx, ts.a.session.Post, func() (*Subagent, error) { return ts.a.known(id) })
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	if wait > 0 {
		done, err := mailbox.Ask(ctx, ts.a.session.Post, func() (<-chan struct{}, error) { return b.done, nil })
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
	if err := ts.a.read(ctx, b); err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	return ts.subAgent(b)
}

// known is find with an error for the model.
func (a *Agents) known(id string) (*Subagent, error) {
	if b := a.find(id); b != nil {
		return b, nil
	}
	return nil, fault.New(fault.NotFound, "session.tasks", a.id, "there is no sub-agent %q; list_agents lists them", id)
}

// SubAgents implements [tool.Agents].
func (ts Tools) SubAgents(ctx context.Context) ([]tool.SubAgent, error) {
	return mailbox.Ask(ctx, ts.a.session.Post, func() (all []tool.SubAgent, _ error) {
		for _, t := range ts.a.session.State().Threads()[1:] {
			if ts.a.byID(t.AgentID) == nil {
				all = append(all, ts.a.ofLog(t).describe())
			}
		}
		for _, b := range ts.a.subs {
			all = append(all, b.describe())
		}
		return all, nil
	})
}

// WriteAgent implements [tool.Agents].
func (ts Tools) WriteAgent(ctx context.Context, c tool.Call, id, message string) (tool.SubAgent, error) {
	if err := ts.a.named.lookUp(ctx, ts.a, "", ""); err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	b, err := mailbox.Ask(ctx, ts.a.session.Post, func() (*Subagent, error) {
		b, err := ts.a.known(id)
		if err != nil {
			return nil, err
		}
		if b.id == c.AgentID {
			return nil, fault.New(fault.Invalid, "session.tasks", ts.a.id, "an agent cannot write to itself")
		}
		in, asker := ts.a.Live(""), (*Subagent)(nil)
		if from := ts.a.Live(c.AgentID); from != nil {
			in, asker = from, ts.a.byID(c.AgentID)
		}
		return b, ts.a.write(b, in, asker, message)
	})
	if err != nil {
		return tool.SubAgent{}, forModel(err)
	}
	return ts.subAgent(b)
}
