package mailbox

import "context"

// Goroutine is how the parts of a session reach the session's goroutine, which carries out
// their functions one after the other. A session that is closed is [fault.NotFound].
//
// Do, Change and Post return ctx.Err() as soon as ctx ends: f never runs then if it has not
// begun, and runs to its end otherwise. So f writes no variables of the caller, unless ctx
// cannot end; see [Ask].
type Goroutine interface {
	// Do runs f on the session's goroutine and returns its error. A session that closes is
	// [fault.NotFound], too.
	Do(ctx context.Context, f func() error) error
	// Change is Do for an f that compares with the state before it records something: it
	// sees what other processes have recorded. [fault.Conflict] if one is at work.
	Change(ctx context.Context, f func() error) error
	// Post is Do that still runs f while the session closes, until its last run ends.
	Post(ctx context.Context, f func() error) error
	// Go runs f on a goroutine that the process waits for. It is called on the session's
	// goroutine, while a session is opened, on goroutines that Go has started, and by the
	// registry, which waits for them only after that. A panic in f is logged under op and ends f
	// alone.
	Go(op string, f func())
}
