package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Two attached clients may bring a tool of the same name: a client that lost its network
// resumes while its old connection is still thought alive. The newest registration takes
// the tool over. If the client of a tool has left, the next one that brings the tool gets
// its open calls. See docs/decisions/0007.

const externalRequested wire.EventType = "external_tool.requested"

// lose notes that another client has taken a tool over.
func (c *Client) lose(name string) {
	lost := map[string]bool{name: true}
	if before := c.lost.Load(); before != nil {
		maps.Copy(lost, *before)
	}
	c.lost.Store(&lost)
}

// hasLost reports whether another client has taken over a tool that this one brought.
func (c *Client) hasLost(name string) bool {
	lost := c.lost.Load()
	return lost != nil && (*lost)[name]
}

// Withholds reports whether a record of the client's tail is not for this client: a piece of
// an answer of a sub-agent that it does not want, or the call of a tool that another client has taken over. An SDK runs its handler for each
// call that it sees, and the other client runs it already.
func (c *Client) Withholds(rec eventlog.Record) bool {
	if c.muted && rec.Delta != nil && rec.Delta.AgentID != "" {
		return true
	}
	if c.lost.Load() == nil || rec.JSON == nil || !strings.Contains(string(rec.JSON), string(externalRequested)) {
		return false
	}
	e, err := wire.ParseEvent(rec.JSON)
	return err == nil && e.Type == externalRequested && c.hasLost(wire.Raw(e.Data).Get("toolName").Text())
}

// missesAnswer reports whether an answer of this client to a call of a tool does not
// count: another client has taken the tool over and is attached. Once that one has left,
// the answer of the client that had the tool before counts again.
func (c *Client) missesAnswer(tool string) bool {
	return c.hasLost(tool) && c.s.tools.owner(tool) != nil
}

// provided are the names of the tools that a client provides; nil provides none.
func (c *Client) provided() (names []string) {
	if c != nil {
		for _, t := range c.tools {
			names = append(names, t.def.Name)
		}
	}
	return names
}

// takeOver gives a new client the open calls of the tools that it brings: it takes them
// from the client that provided the tool, if one is attached. kept are the tools that the
// new client's earlier attachment provided until now: its handlers still run their calls,
// so it does not get these again. active is whether other clients were attached: in a
// session without clients a call keeps waiting for the client that got it, as after a crash.
func (t *toolset) takeOver(c *Client, kept []string, active bool) {
	for _, brought := range c.tools {
		name := brought.def.Name
		switch owner := t.owner(name); {
		case owner != c:
			t.take(name, owner)
			t.handCalls(name, owner, c)
		case active && !slices.Contains(kept, name):
			t.handCalls(name, nil, c)
		}
	}
}

// take takes a tool from a client and warns that client.
func (t *toolset) take(name string, from *Client) {
	from.tools = slices.DeleteFunc(from.tools, func(t *clientTool) bool { return t.def.Name == name })
	from.changed.Send()
	from.lose(name)
	t.s.log.emitTo(from, "", &wire.SessionWarning{
		WarningType: "tool_taken_over",
		Message:     fmt.Sprintf("Another client has attached with the tool %q and now provides it. Resume the session to provide it again.", fault.Bounded(name)),
	})
}

// handCalls sends the open calls of a tool to a client, under the same request ids. from
// had them before and is sent that they are over; nil if that client has left.
func (t *toolset) handCalls(name string, from, to *Client) {
	for id, asked := range t.s.state.External() {
		if t.s.external.open[id] == nil || asked.Tool != name {
			continue
		}
		if from != nil {
			t.s.log.emitTo(from, asked.AgentID, &wire.ExternalToolCompleted{RequestID: id}) // ends its handler
		}
		t.s.log.emitTo(to, asked.AgentID, &wire.RawData{EventType: externalRequested, Raw: asked.Data})
	}
}
