package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// SetTools replaces the tools that a client provides; none removes them all. It is as if the
// client had left and attached again with these tools: the next model call offers them, a tool of
// another client goes to this one, and a call of a tool that is no longer provided waits for a
// client that brings it. [fault.Invalid] if the tools contradict each other or the session.
func (c *Client) SetTools(ctx context.Context, list []wire.Tool) error {
	const op = "session.tools.set"
	if err := checkTools(list); err != nil {
		return fault.New(fault.Invalid, op, c.s.id, "%w", err)
	}
	return c.s.do(ctx, func() error {
		if err := c.s.tools.admits(list); err != nil {
			return fault.New(fault.Invalid, op, c.s.id, "%w", err)
		}
		if slices.Contains(c.s.clients, c) {
			c.s.tools.replace(c, list)
		}
		return nil
	})
}

// replace replaces the tools of an attached client.
func (t *toolset) replace(c *Client, list []wire.Tool) {
	kept, mine := c.provided(), map[string]*Client{}
	c.tools = nil
	for _, brought := range list {
		if owner := t.owner(brought.Name); owner != nil {
			mine[brought.Name] = owner
			t.take(brought.Name, owner)
		}
	}
	for _, brought := range list {
		c.tools = append(c.tools, newClientTool(t.s, brought))
	}
	c.regain()
	c.changed.Send()
	for _, brought := range c.tools {
		if name := brought.def.Name; mine[name] != nil || !slices.Contains(kept, name) {
			t.handCalls(name, mine[name], c)
		}
	}
}

// regain notes that the client provides its tools again, whoever had taken them over.
func (c *Client) regain() {
	before := c.lost.Load()
	if before == nil {
		return
	}
	lost := maps.Clone(*before)
	for _, name := range c.provided() {
		delete(lost, name)
	}
	c.lost.Store(&lost)
}

// admits returns why the tools of a client cannot be used in the session; nil if they can.
func (t *toolset) admits(list []wire.Tool) error {
	for _, brought := range list {
		if !brought.Overrides && t.builtin(brought.Name) {
			return fmt.Errorf("a tool is called %q like a built-in one; name it otherwise, or set overridesBuiltInTool to take its place", brought.Name)
		}
	}
	return nil
}

// checkTools returns why the tools of a client contradict each other; nil if they do not.
func checkTools(list []wire.Tool) error {
	names := map[string]bool{}
	for _, t := range list {
		switch {
		case t.Name == "":
			return errors.New("a tool has no name")
		case names[t.Name]:
			return fmt.Errorf("two tools are called %q", t.Name)
		}
		names[t.Name] = true
	}
	return nil
}
