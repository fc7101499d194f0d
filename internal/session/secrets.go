package session

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
