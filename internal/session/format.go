package session

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxFormat bounds the schema of an answer, in bytes. Source: the SDK's comment on the field.
const maxFormat = 32 << 20

// checkFormat checks the form in which a message wants its answer, and drops an absent one.
func (m *message) checkFormat() error {
	format := m.Send.ResponseFormat
	if string(bytes.TrimSpace(format)) == "null" {
		m.Send.ResponseFormat, format = nil, nil
	}
	switch {
	case format == nil:
		return nil
	case m.Send.Mode == "immediate":
		return errors.New(`responseFormat cannot be used with mode "immediate": the message joins the run of another one, whose answer it cannot change`)
	case m.Send.AgentMode == state.ModeShell:
		return errors.New(`responseFormat cannot be used with agentMode "shell": no model answers`)
	case len(format) > maxFormat:
		return fmt.Errorf("responseFormat is larger than %d bytes", maxFormat)
	}
	_, err := provider.ResponseFormat(format)
	return err
}

// formatted reports whether a message that wants its answer in a form can have it: an agent of
// another system knows no forms.
func formatted(s *Session, m message) error {
	if m.Send.ResponseFormat != nil && provider.ExtensionOf(s.state.Model, s.config.providers.Own) != "" {
		return errors.New("responseFormat cannot be used with an agent of another system")
	}
	return nil
}

// interaction names what belongs to one message of a user: the message, and the run that
// answers it.
type interaction struct {
	run    string // id of the run; "" for none yet
	origin string // id of the message that began it
	turn   string // the turn that reads the message; "" for none
}

// nextInteraction is that of a message that is about to be recorded for a run.
func nextInteraction(s *Session, run string, m message) interaction {
	i := interaction{run: run, origin: m.ID}
	if m.Send.AgentMode != state.ModeShell { // which no turn reads
		i.turn = s.state.NextTurn("")
	}
	return i
}

// identify adds to a user.message the run and the turn that it belongs to.
func (i interaction) identify(u *wire.UserMessage) {
	u.InteractionID, u.TurnID = wire.Optional(i.run), wire.Optional(i.turn)
}
