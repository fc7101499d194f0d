package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of permissions and questions to their session. agentID names the
// thread of an event: that of a sub-agent, "" for the main agent.
type Session interface {
	// Do runs f on the session's goroutine and returns its error. A session that closes
	// or is closed is [fault.NotFound]. Do returns ctx.Err() as soon as ctx ends: f never
	// runs then if it has not begun, and runs to its end otherwise. So f writes no
	// variables of the caller, unless ctx cannot end; see [mailbox.Ask].
	Do(ctx context.Context, f func() error) error
	// Change is Do for an f that compares with the state before it records something: it
	// sees what other processes have recorded. [fault.Conflict] if one is at work.
	Change(ctx context.Context, f func() error) error
	// Post is Do that still runs f while the session closes, until its last run ends.
	Post(ctx context.Context, f func() error) error
	// Go runs f on a goroutine that the process waits for. It is for the session's
	// goroutine. A panic in f is logged under op and ends f alone.
	Go(op string, f func())
	// Cwd returns the working directory. Any goroutine may call it; the methods below must
	// be called on the session's goroutine.
	Cwd() string
	// State returns the state of the session, always the same pointer. Only Record changes
	// the state.
	State() *state.State
	// Record appends events of a thread to the log, applies them to the state, and sends
	// them to all clients.
	Record(agentID string, events ...wire.Data) error
	// Emit sends an ephemeral event of a thread to all clients.
	Emit(agentID string, data wire.Data)
	// CanDecide reports whether an attached client decides permission requests, or the session
	// was configured to wait for one.
	CanDecide() bool
}
