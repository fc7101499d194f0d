package wire

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// SessionNotFound returns the error for a session that does not exist or has been closed.
// Programs on the SDKs look for its wording.
func SessionNotFound(id string) error {
	return &fault.Error{Kind: fault.NotFound, Hint: "create it, or resume it on this connection", Err: noSession(id)}
}

// IsSessionNotFound reports whether err is or wraps one of [SessionNotFound].
func IsSessionNotFound(err error) bool {
	var e noSession
	return errors.As(err, &e)
}

// noSession is the reason of [SessionNotFound]: the id of the session.
type noSession string

func (id noSession) Error() string { return "Session not found: " + string(id) }
