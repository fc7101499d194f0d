package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Two attached clients may bring a tool of the same name: a client that lost its network
// resumes while its old connection is still thought alive. The newest registration takes
// the tool over. See docs/decisions/0007.

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

// Withholds reports whether a record of the client's tail is not for this client: the
// call of a tool that another client has taken over. An SDK runs its handler for each
// call that it sees, and the other client runs it already.
func (c *Client) Withholds(rec eventlog.Record) bool {
	if c.lost.Load() == nil || rec.JSON == nil || !strings.Contains(string(rec.JSON), string(externalRequested)) {
		return false
	}
	e, err := wire.ParseEvent(rec.JSON)
	return err == nil && e.Type == externalRequested && c.hasLost(wire.Raw(e.Data).Get("toolName").Text())
}

// takeOver takes those tools from the other clients that a new client brings too.
func (t *toolset) takeOver(c *Client) {
	for _, brought := range c.tools {
		if owner := t.owner(brought.def.Name); owner != c {
			t.move(brought.def.Name, owner, c)
		}
	}
}

// move moves one tool and its open calls, and warns the client that loses them. The
// calls keep their request ids.
func (t *toolset) move(name string, from, to *Client) {
	from.tools = slices.DeleteFunc(from.tools, func(t *clientTool) bool { return t.def.Name == name })
	close(from.changed)
	from.changed = make(chan struct{})
	from.lose(name)
	t.s.log.emitTo(from, "", &wire.SessionWarning{
		WarningType: "tool_taken_over",
		Message:     fmt.Sprintf("Another client has attached with the tool %q and now provides it. Resume the session to provide it again.", name),
	})
	for id, asked := range t.s.state.External() {
		if t.s.external.open[id] == nil || asked.Tool != name {
			continue
		}
		t.s.log.emitTo(from, asked.AgentID, &wire.ExternalToolCompleted{RequestID: id}) // ends its handler
		t.s.log.emitTo(to, asked.AgentID, &wire.RawData{EventType: externalRequested, Raw: asked.Data})
	}
}
