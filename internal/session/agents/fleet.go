package agents

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

//go:embed fleet.md
var fleetText string

// StartFleet sends the session a message that asks the model to distribute the work to
// sub-agents; prompt may be empty. If wait is set, it returns when the run of that message has ended.
// [fault.Invalid] if the session's filters, or the small set of tools, leave out the tool that starts sub-agents. It
// may ask the provider for the window of the model.
func (a *Agents) StartFleet(ctx context.Context, prompt string, attachments json.RawMessage, wait bool) error {
	if err := a.session.Delegates(ctx); err != nil {
		return err
	}
	text := strings.TrimSpace(fleetText)
	if prompt != "" {
		text += "\n\nUser request: " + prompt
	}
	shown := cmp.Or(prompt, "Work through the to-dos with a fleet of sub-agents.")
	_, err := a.session.Send(ctx, wire.Send{Prompt: text, DisplayPrompt: shown, Attachments: attachments, Wait: wait})
	return err
}
