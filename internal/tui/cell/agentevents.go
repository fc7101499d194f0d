package cell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// maxAgents bounds the sub-agents that are remembered.
const maxAgents = 1000

// ofAgent takes an event of a sub-agent.
func (c *Conversation) ofAgent(e follow.Event) {
	if e.Row.Kind == timeline.Agent {
		c.agentRow(e)
		return
	}
	a := c.agents[e.AgentID]
	if a == nil {
		return
	}
	switch e.Row.Kind {
	case timeline.Tool:
		a.calls++
		a.doing = e.Row.Title
		if c.whole {
			a.log = append(a.log, row.Text(indent+"· "+e.Row.Title))
		}
	case timeline.Result:
		if c.whole && e.Row.Title != "" {
			a.log = append(a.log, row.Of(indent+"  "+e.Row.Title, row.Dim))
		}
	case timeline.Usage:
		in, out := timeline.Tokens(e.Event)
		a.tokens += in + out
	case timeline.Asked:
		a.waits = true
		c.asks(e)
	case timeline.Answered:
		a.waits = false
		c.answered(e)
	case timeline.Warning:
		c.notice(e)
	}
}

// agentRow takes the beginning or the end of a sub-agent.
func (c *Conversation) agentRow(e follow.Event) {
	a := c.agents[e.AgentID]
	if e.Type == "subagent.started" {
		if len(c.agents) < maxAgents {
			c.agentStarts(e)
		}
		return
	}
	if a == nil {
		c.queue.put(&note{mark: agentMark(e.Row), text: e.Row.Title, style: row.Plain})
		return
	}
	a.ended, a.doing = true, ""
	delete(c.agents, e.AgentID)
	if over := c.agents[a.parent]; over != nil {
		for _, r := range a.log {
			over.log = append(over.log, row.Text("  ").Join(r))
		}
	}
	if a.call != nil && a.call.result == nil || c.agents[a.parent] != nil { // the row of its call, or its parent's, says so
		return
	}
	n := &note{mark: agentMark(e.Row), text: e.Row.Title, style: row.Plain}
	if e.Row.Failed {
		n.style = row.Failure
	}
	if took := c.at(e).Sub(a.began); !a.began.IsZero() && took > 0 {
		n.text += " · " + elapsed(took)
	}
	if c.whole {
		n.rows = a.log
	}
	c.queue.put(n)
}

func agentMark(r timeline.Row) string {
	switch {
	case r.Failed:
		return markFailed + " "
	case strings.HasPrefix(strings.TrimPrefix(r.Title, r.Of), " was stopped"):
		return markStopped + " "
	}
	return markDone + " "
}

func (c *Conversation) agentStarts(e follow.Event) {
	_, about, _ := strings.Cut(e.Row.Title, " begins: ")
	a := &agent{name: cmp.Or(e.Row.Of, "an agent"), about: about, parent: e.Get("parentId").Text(), began: c.at(e), order: len(c.agents)}
	if t := c.calls[e.Row.Call]; t != nil {
		if t.apart = e.Get("executionMode").Text() == "background"; !t.apart {
			a.call, t.agent = t, a
		}
	}
	if over := c.agents[a.parent]; over != nil {
		over.under = append(over.under, a)
		a.depth = over.depth + 1
	}
	c.agents[e.AgentID] = a
}

// background is the rows of the sub-agents that no call waits for.
func (c *Conversation) background(s scene) (rows []row.Row) {
	for _, a := range c.atTop() {
		rows = append(rows, a.rows(0, s)...)
	}
	return rows
}

// atTop are the sub-agents that are shown neither with a call nor below another one.
func (c *Conversation) atTop() (list []*agent) {
	for _, a := range c.agents {
		if (a.call == nil || a.call.result != nil) && c.agents[a.parent] == nil {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *agent) int {
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.order, b.order))
	})
	return list
}
