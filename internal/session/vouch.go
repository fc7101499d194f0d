package session

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// A log can name a model whose calls go to any address, and then it would get the conversation. Such a
// model is called only if it was chosen on this machine; see [approval.Permissions.ModelGranted].

// unchosen is why a model that the log names must not be called, nil if it may. It is called on the
// session's goroutine.
func unchosen(s *Session, name string) error {
	address, ok := s.permissions.ModelGranted(name)
	if ok {
		return nil
	}
	return &fault.Error{
		Op: "session", On: s.id, Kind: fault.Denied, Hint: "choose the model yourself: with -m, with the field model of session.resume, or with session.model.switchTo",
		Err: fmt.Errorf("the log of the session names the model %s, whose calls go to %s, and it was not chosen on this machine", name, address),
	}
}

// elsewhereOf returns the address that the calls of a model go to because of its name, "" if they go to the
// provider of the session, which this user or a client has configured, or if the user's configuration names
// the model.
func elsewhereOf(s *Session, name string) string {
	if s.config.providers.Brings(name) && !state.IsExtension(name) {
		return ""
	}
	return s.home.Models.Elsewhere(s.config.providers.Own, name)
}

// recordedIn is the folder that a session is recorded to work in when it is opened in folder: none, if nobody
// has said where it works. It is called before the session's goroutine starts.
func recordedIn(s *Session, folder string) string {
	if s.log.State().Cwd == "" {
		return ""
	}
	return folder
}
