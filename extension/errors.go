package extension

import "github.com/sidestick-dev/sidestick/internal/fault"

// The kinds of errors: what the caller can do about a failure. The comment of each function
// names the kinds of its errors, and [errors.Is] tells them apart. An error has one of them, or
// none if it is a failure of this package or comes from the caller's own function or reader.
// Their texts are for logs; the text of an error says what has failed and why.
var (
	// ErrInvalid means that the request, the answer or an argument is wrong; the same again
	// will fail again.
	ErrInvalid error = fault.Invalid
	// ErrDenied means that a signature, a token or a rule about addresses forbids it.
	ErrDenied error = fault.Denied
	// ErrNotFound means that there is no agent at the address.
	ErrNotFound error = fault.NotFound
	// ErrConflict means that the state has changed, as that of a confirmation that was decided.
	ErrConflict error = fault.Conflict
	// ErrUnavailable means that the other side is down, slow or gone; a later try may succeed.
	ErrUnavailable error = fault.Unavailable
	// ErrCanceled means that the caller has ended the context. [context.Canceled] is wrapped,
	// too.
	ErrCanceled error = fault.Canceled
)
