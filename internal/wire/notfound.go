package wire

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// SessionNotFound is the error for a session that does not exist, or is no longer open.
// Programs on the SDKs look for its words.
func SessionNotFound(id string) error {
	return &fault.Error{
		Kind: fault.NotFound, Hint: "create it, or resume it on this connection", Err: errors.New("Session not found: " + id),
	}
}
