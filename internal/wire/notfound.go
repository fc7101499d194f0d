package wire

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// SessionNotFound returns the error for a session that does not exist or has been closed.
// Programs on the SDKs look for its wording.
func SessionNotFound(id string) error {
	return &fault.Error{
		Kind: fault.NotFound, Hint: "create it, or resume it on this connection", Err: errors.New("Session not found: " + id),
	}
}
