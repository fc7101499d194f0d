package session

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

//go:embed fleet.md
var fleetText string

// StartFleet sends the session a message that asks the model to distribute the work to
// sub-agents; prompt may be empty. If wait is set, it returns when the session is idle again.
// [fault.Invalid] if the session's filters, or the small set of tools, leave out the tool that starts sub-agents. It
// may ask the provider for the window of the model.
func (a *Agents) StartFleet(ctx context.Context, prompt string, attachments json.RawMessage, wait bool) error {
	if _, _, err := a.s.Metrics().resolved(ctx, ""); err != nil { // which notes the set of tools
		return err
	}
	err := a.s.do(ctx, func() error {
		refused := func(why string) error {
			return fault.New(fault.Invalid, "session.fleet.start", a.s.id, "the session may not start sub-agents: "+why, taskTool.Name)
		}
		switch r := a.offeredRole(); {
		case !a.startable(r):
			return refused("its filters leave out the tool %s, or there are no agents")
		case r.small && !a.s.tools.lists(&r.def):
			return refused("its model is offered the small set of tools, which does not have %s; use a model with a larger window, or set toolSet to full")
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := strings.TrimSpace(fleetText)
	if prompt != "" {
		text += "\n\nUser request: " + prompt
	}
	shown := cmp.Or(prompt, "Work through the to-dos with a fleet of sub-agents.")
	if _, err := a.s.Send(ctx, wire.Send{Prompt: text, DisplayPrompt: shown, Attachments: attachments}); err != nil || !wait {
		return err
	}
	return a.Tasks().whenIdle(ctx)
}
