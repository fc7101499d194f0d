package session

import (
	"encoding/json"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// wrongForm says what is wrong with the form in which a message wants its answer; nil: nothing.
func wrongForm(form json.RawMessage) error {
	_, err := provider.ResponseFormat(form)
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
