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

// clientTools are the names of the client tools on offer.
func (s *Session) clientTools() (names []string) {
	for _, c := range s.clients {
		for _, t := range c.tools {
			if s.config.offersTo(s.config.agents.Main, t.def) {
				names = append(names, t.def.Name)
			}
		}
	}
	return names
}

// withNewTools adds to the start of a turn which tools it is the first to offer.
func (s *Session) withNewTools(begin *wire.AssistantTurnStart) wire.Data {
	fresh := slices.DeleteFunc(s.clientTools(), func(name string) bool { return slices.Contains(s.state.OfferedTools, name) })
	if len(fresh) == 0 {
		return begin
	}
	return wire.WithJSON(begin, wire.FieldNewTools, fresh)
}

// removedTools are those that the model was offered and that no client provides any more.
func (s *Session) removedTools() []string {
	if len(s.state.OfferedTools) == 0 {
		return nil
	}
	now := s.clientTools()
	return slices.DeleteFunc(slices.Clone(s.state.OfferedTools), func(name string) bool { return slices.Contains(now, name) })
}

// notice is the text before a message that reports removed tools.
func (m *message) notice() []string {
	if len(m.removedTools) == 0 {
		return nil
	}
	return []string{prompt.ToolsChanged(m.removedTools...)}
}
