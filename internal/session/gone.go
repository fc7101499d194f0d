package session

import (
	"encoding/json"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The model is told when tools that it was offered have left with their client, at the
// start of the next message: it would call them else, for it has seen them at work.
// What it was offered is in the log, so that a resume knows it too: a turn that offers
// tools for the first time names them, and a message that tells of their end names
// those. Both are fields of ours beside those of the protocol. The program's own tools
// come and go with modes, which say so themselves.
const (
	fieldNewTools  = "newTools"  // of assistant.turn_start
	fieldGoneTools = "goneTools" // of user.message
)

// clientTools are the names of the tools of clients that are on offer.
func (s *Session) clientTools() (names []string) {
	for _, c := range s.clients {
		for _, t := range c.tools {
			if s.lets(t.def) {
				names = append(names, t.def.Name)
			}
		}
	}
	return names
}

// withNewTools lets a turn that starts say what it is the first to offer.
func (s *Session) withNewTools(begin *wire.AssistantTurnStart) wire.Data {
	fresh := slices.DeleteFunc(s.clientTools(), func(name string) bool { return slices.Contains(s.shown, name) })
	return withNames(begin, fieldNewTools, fresh)
}

// goneTools are those that the model was offered and are not there any more.
func (s *Session) goneTools() []string {
	if len(s.shown) == 0 {
		return nil
	}
	now := s.clientTools()
	return slices.DeleteFunc(slices.Clone(s.shown), func(name string) bool { return slices.Contains(now, name) })
}

// notice is what goes before a message.
func (m *message) notice() []string {
	if len(m.gone) == 0 {
		return nil
	}
	return []string{prompt.ToolsChanged(m.gone...)}
}

func withNames(e wire.Data, field string, names []string) wire.Data {
	if len(names) == 0 {
		return e
	}
	list, err := json.Marshal(names)
	if err != nil {
		return e // cannot happen: they are strings
	}
	return wire.WithField(e, field, list)
}

// showsTools takes in what a turn was the first to offer.
func (h *history) showsTools(data wire.Raw) {
	h.shown = append(slices.Clip(h.shown), texts(data.Get(fieldNewTools))...)
}

// hidesTools takes in what the model was told to be gone.
func (h *history) hidesTools(data wire.Raw) {
	if gone := texts(data.Get(fieldGoneTools)); len(gone) > 0 {
		h.shown = slices.DeleteFunc(slices.Clone(h.shown), func(name string) bool { return slices.Contains(gone, name) })
	}
}
