package wire

import (
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ErrSessionNotFound is the reason in the errors of [SessionNotFound].
var ErrSessionNotFound = errors.New("Session not found")

// SessionNotFound returns the error for a session that does not exist or has been closed.
// Programs on the SDKs look for its wording.
func SessionNotFound(id string) error {
	return &fault.Error{
		Kind: fault.NotFound, Hint: "create it, or resume it on this connection", Err: fmt.Errorf("%w: %s", ErrSessionNotFound, id),
	}
}
