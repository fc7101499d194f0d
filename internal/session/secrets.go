package session

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// This file keeps secrets that the program knows out of the log and away from clients: all
// events pass [journal.redacted], pieces of an answer [obs.Redactor.RedactPiece]. The
// messages to the model are computed from the events, so they have no such secrets either.

// verbatim are the events that are settings of the session and nothing else. A resume needs
// them as they are, and they contain only what a client has chosen.
var verbatim = lazy.Value[map[wire.EventType]bool]{Make: func() map[wire.EventType]bool {
	return map[wire.EventType]bool{
		"session.start": true, "session.resume": true, "session.model_change": true, "session.context_changed": true,
		"session.permissions_changed": true, "permission.completed": true,
	}
}}

// diagnostic are the events that report failures and belong to no conversation.
var diagnostic = lazy.Value[map[wire.EventType]bool]{Make: func() map[wire.EventType]bool {
	return map[wire.EventType]bool{
		"session.error": true, "session.warning": true, "hook.end": true, "model.call_failure": true,
	}
}}

// redacted returns the data of an event without known secrets.
func (j *journal) redacted(t wire.EventType, data []byte) []byte {
	if verbatim.Get()[t] {
		return data
	}
	return j.s.secrets.RedactData(data, !diagnostic.Get()[t])
}

// withoutSecrets returns the error of a configuration without the credentials in it: the
// message about a base URL repeats the URL.
func (h *Home) withoutSecrets(cfg wire.Config, err error) error {
	if err == nil {
		return nil
	}
	secrets := h.Redactor.Child()
	h.Models.AddSecrets(cfg, secrets)
	var f *fault.Error
	if errors.As(err, &f) && f.Err != nil {
		if text := f.Err.Error(); secrets.Redact(text) != text {
			f.Err = errors.New(secrets.Redact(text))
		}
	}
	return err
}
