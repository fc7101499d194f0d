package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// When client tools that the model was offered leave with their client, the next
// message tells the model so; otherwise it would go on calling them. The log records
// what was offered, so that a resumed session knows it too: a turn that offers tools for
// the first time names them (wire.FieldNewTools), and the message that reports their
// removal names those (wire.FieldRemovedTools). The program's own tools change with the
// mode, which the mode's own notice says.

// notice is the text before a message that reports removed tools.
func (m *message) notice() []string {
	if len(m.removedTools) == 0 {
		return nil
	}
	return []string{prompt.ToolsChanged(m.removedTools...)}
}

// clientTools are the names of the client tools on offer.
func (t *toolset) clientTools() (names []string) {
	for _, c := range t.s.clients {
		for _, brought := range c.tools {
			if t.s.config.offersTo(t.s.config.agents.Main, brought.def) {
				names = append(names, brought.def.Name)
			}
		}
	}
	return names
}

// withNewTools adds to the start of a turn which tools it is the first to offer.
func (t *toolset) withNewTools(begin *wire.AssistantTurnStart) wire.Data {
	fresh := slices.DeleteFunc(t.clientTools(), func(name string) bool { return slices.Contains(t.s.state.OfferedTools, name) })
	if len(fresh) == 0 {
		return begin
	}
	return wire.WithJSON(begin, wire.FieldNewTools, fresh)
}

// removedTools are those that the model was offered and that no client provides any more.
func (t *toolset) removedTools() []string {
	if len(t.s.state.OfferedTools) == 0 {
		return nil
	}
	now := t.clientTools()
	return slices.DeleteFunc(slices.Clone(t.s.state.OfferedTools), func(name string) bool { return slices.Contains(now, name) })
}
