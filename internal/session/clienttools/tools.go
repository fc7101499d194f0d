package clienttools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tools are the tools that one client brings; it is a [tool.Source]. Answer, Set and Withholds are
// safe for concurrent use, and the first two are not called on the session's goroutine; they return
// as [mailbox.Goroutine] describes. The other methods are called on that goroutine, or while the
// session is opened.
type Tools struct {
	of *Calls
	to Client
	// tools are those that the client provides now.
	tools []*clientTool
	// changed is sent when tools are others, as when a newer client has taken one.
	changed offer.Signal
	lost    atomic.Pointer[map[string]bool] // what a newer client has taken over; nil: nothing
}

// Client is a client that brings tools.
type Client interface {
	// Send sends an ephemeral event of a thread to the client alone.
	Send(agentID string, event wire.Data)
}

// Bring returns the tools of a client that is about to attach; [Check] and [Calls.Admit] have allowed
// them.
func (x *Calls) Bring(c Client, list []wire.Tool) *Tools {
	t := &Tools{of: x, to: c}
	for _, brought := range list {
		t.tools = append(t.tools, x.newTool(brought))
	}
	return t
}

// Join adds the tools of a client that has attached.
func (x *Calls) Join(c *Tools) { x.attached = append(x.attached, c) }

// Leave removes the tools of a client that has left.
func (x *Calls) Leave(c *Tools) {
	if i := slices.Index(x.attached, c); i >= 0 {
		x.attached = slices.Delete(x.attached, i, i+1)
	}
}

// Announce tells the clients that the attached ones bring other tools than before.
func (x *Calls) Announce() { x.session.Emit("", &wire.ToolsUpdated{Model: x.session.Model()}) }

// Tools implements [tool.Source].
func (c *Tools) Tools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range c.tools {
		tools = append(tools, t)
	}
	return tools
}

// Changed implements [tool.Source].
func (c *Tools) Changed() <-chan struct{} { return c.changed.Next() }

// Owner returns the tools of the attached client that provides a tool, nil if none does.
func (x *Calls) Owner(name string) *Tools {
	for _, c := range x.attached {
		for _, brought := range c.tools {
			if brought.def.Name == name {
				return c
			}
		}
	}
	return nil
}

// Definitions yields what the attached clients provide, by client.
func (x *Calls) Definitions(yield func(*tool.Definition) bool) {
	for _, c := range x.attached {
		for _, brought := range c.tools {
			if !yield(&brought.def) {
				return
			}
		}
	}
}

// Set replaces the tools that a client provides; none removes them all. It is as if the
// client had left and attached again with these tools: the next model call offers them, a tool of
// another client goes to this one, and a call of a tool that is no longer provided waits for a
// client that brings it. [fault.Invalid] if the tools contradict each other or the session.
func (c *Tools) Set(ctx context.Context, list []wire.Tool) error {
	const op = "session.tools.set"
	if err := Check(list); err != nil {
		return fault.New(fault.Invalid, op, c.of.id, "%w", err)
	}
	return c.of.session.Do(ctx, func() error {
		if err := c.of.Admit(list); err != nil {
			return fault.New(fault.Invalid, op, c.of.id, "%w", err)
		}
		if slices.Contains(c.of.attached, c) {
			changed := len(c.tools)+len(list) > 0
			c.of.replace(c, list)
			if changed {
				c.of.Announce()
			}
		}
		return nil
	})
}

// replace replaces the tools of an attached client.
func (x *Calls) replace(c *Tools, list []wire.Tool) {
	kept, mine := c.Names(), map[string]*Tools{}
	c.tools = nil
	for _, brought := range list {
		if owner := x.Owner(brought.Name); owner != nil {
			mine[brought.Name] = owner
			x.take(brought.Name, owner)
		}
	}
	for _, brought := range list {
		c.tools = append(c.tools, x.newTool(brought))
	}
	c.regain()
	c.changed.Send()
	for _, brought := range c.tools {
		if name := brought.def.Name; mine[name] != nil || !slices.Contains(kept, name) {
			x.handCalls(name, mine[name], c)
		}
	}
}

// regain notes that the client provides its tools again, whoever had taken them over.
func (c *Tools) regain() {
	before := c.lost.Load()
	if before == nil {
		return
	}
	lost := maps.Clone(*before)
	for _, name := range c.Names() {
		delete(lost, name)
	}
	c.lost.Store(&lost)
}

// Admit returns why the tools of a client cannot be used in the session; nil if they can.
func (x *Calls) Admit(list []wire.Tool) error {
	for _, brought := range list {
		if !brought.Overrides && x.session.Builtin(brought.Name) {
			return fmt.Errorf("a tool is called %q like a built-in one; name it otherwise, or set overridesBuiltInTool to take its place", brought.Name)
		}
	}
	return nil
}

// Check returns why the tools of a client contradict each other; nil if they do not.
func Check(list []wire.Tool) error {
	names := map[string]bool{}
	for _, t := range list {
		switch {
		case t.Name == "":
			return errors.New("a tool has no name")
		case names[t.Name]:
			return fmt.Errorf("two tools are called %q", t.Name)
		case t.Defer != "" && t.Defer != "auto" && t.Defer != wire.DeferNever:
			return fmt.Errorf("defer of the tool %q is %q, want \"auto\" or \"never\"", fault.Bounded(t.Name), fault.Bounded(t.Defer))
		}
		names[t.Name] = true
	}
	return nil
}

// Two attached clients may bring a tool of the same name: a client that lost its network
// resumes while its old connection is still thought alive. The newest registration takes
// the tool over. If the client of a tool has left, the next one that brings the tool gets
// its open calls. See docs/decisions/0007.

const externalRequested wire.EventType = "external_tool.requested"

// lose notes that another client has taken a tool over.
func (c *Tools) lose(name string) {
	lost := map[string]bool{name: true}
	if before := c.lost.Load(); before != nil {
		maps.Copy(lost, *before)
	}
	c.lost.Store(&lost)
}

// hasLost reports whether another client has taken over a tool that this one brought.
func (c *Tools) hasLost(name string) bool {
	lost := c.lost.Load()
	return lost != nil && (*lost)[name]
}

// Withholds reports whether a record of the client's tail is not for this client: the call of a tool that
// another client has taken over. An SDK runs its handler for each call that it sees, and the other client runs
// it already.
func (c *Tools) Withholds(rec eventlog.Record) bool {
	if c.lost.Load() == nil || rec.JSON == nil || !strings.Contains(string(rec.JSON), string(externalRequested)) {
		return false
	}
	e, err := wire.ParseEvent(rec.JSON)
	return err == nil && e.Type == externalRequested && c.hasLost(wire.Raw(e.Data).Get("toolName").Text())
}

// missesAnswer reports whether an answer of this client to a call of a tool does not
// count: another client has taken the tool over and is attached. Once that one has left,
// the answer of the client that had the tool before counts again.
func (c *Tools) missesAnswer(tool string) bool {
	return c.hasLost(tool) && c.of.Owner(tool) != nil
}

// Names are the names of the tools that a client provides now.
func (c *Tools) Names() (names []string) {
	for _, t := range c.tools {
		names = append(names, t.def.Name)
	}
	return names
}

// TakeOver gives a new client the open calls of the tools that it brings: it takes them
// from the client that provided the tool, if one is attached. kept are the tools that the
// new client's earlier attachment provided until now: its handlers still run their calls,
// so it does not get these again. active is whether other clients were attached: in a
// session without clients a call keeps waiting for the client that got it, as after a crash.
func (x *Calls) TakeOver(c *Tools, kept []string, active bool) {
	for _, brought := range c.tools {
		name := brought.def.Name
		switch owner := x.Owner(name); {
		case owner != c:
			x.take(name, owner)
			x.handCalls(name, owner, c)
		case active && !slices.Contains(kept, name):
			x.handCalls(name, nil, c)
		}
	}
}

// take takes a tool from a client and warns that client.
func (x *Calls) take(name string, from *Tools) {
	from.tools = slices.DeleteFunc(from.tools, func(t *clientTool) bool { return t.def.Name == name })
	from.changed.Send()
	from.lose(name)
	from.to.Send("", &wire.SessionWarning{
		WarningType: "tool_taken_over",
		Message:     fmt.Sprintf("Another client has attached with the tool %q and now provides it. Resume the session to provide it again.", fault.Bounded(name)),
	})
}

// handCalls sends the open calls of a tool to a client, under the same request ids. from
// had them before and is sent that they are over; nil if that client has left.
func (x *Calls) handCalls(name string, from, to *Tools) {
	for id, asked := range x.session.State().External() {
		if x.open[id] == nil || asked.Tool != name {
			continue
		}
		if from != nil {
			from.to.Send(asked.AgentID, &wire.ExternalToolCompleted{RequestID: id}) // ends its handler
		}
		to.to.Send(asked.AgentID, &wire.RawData{EventType: externalRequested, Raw: asked.Data})
	}
}
