package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
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
	// State returns the state of the session. Only Record changes it.
	State() *state.State
	// Record appends events of a thread to the log, applies them to the state, and sends
	// them to all clients.
	Record(agentID string, events ...wire.Data) error
	// Emit sends an ephemeral event of a thread to all clients.
	Emit(agentID string, data wire.Data)
	// CanDecide reports whether an attached client decides permission requests.
	CanDecide() bool
}

// Options configures [New]. All fields are required, except for Rules.
type Options struct {
	Session Session
	ID      string // session id, for errors
	Dir     string // the session's own folder, which the session may read
	Plan    string // name of the plan in Dir, which the session may write
	// Rules are the rules that the program was started with. Clients cannot remove them.
	Rules permit.Rules
	// Grants and Paths are shared by all sessions of the process.
	Grants *Grants
	Paths  Paths
}

// Permissions are the permissions of one session. Its methods are safe for concurrent use,
// except for those whose comment requires the session's goroutine. They return the errors
// of [Session.Do].
type Permissions struct {
	opts    Options
	session Session

	// The fields below belong to the session's goroutine.
	policy policy
	open   map[string]*request // by request id
	// expected are requests from before the resume whose calls have not run again yet, by
	// tool call id. All are of the main agent: those of sub-agents end with the process.
	expected map[string]*request
}

// New returns the permissions of a session, without settings of clients.
func New(opts Options) *Permissions {
	return &Permissions{opts: opts, session: opts.Session, open: map[string]*request{}, expected: map[string]*request{}}
}

// recordOrEmit records an event of a thread. If the log cannot be written, it sends the event to
// the clients all the same, because they wait for it.
func (p *Permissions) recordOrEmit(agentID string, data wire.Data) {
	if p.session.Record(agentID, data) != nil {
		p.session.Emit(agentID, data)
	}
}

// withDisk reads paths and grants on the caller's goroutine, then runs f with them on the
// session's goroutine, so that no session waits for a disk, and returns f's result. If the
// session changes its working directory in between, withDisk reads again.
func withDisk[T any](ctx context.Context, p *Permissions, run mailbox.Runner, w want, f func(d disk) (T, error)) (T, error) {
	type outcome struct {
		result T
		moved  bool
	}
	for try := 1; ; try++ {
		d := p.read(w)
		out, err := mailbox.Ask(ctx, run, func() (out outcome, err error) {
			d := d
			switch {
			case d.cwd == p.session.State().Cwd:
			case try < maxReads:
				return outcome{moved: true}, nil
			default:
				d.primary = "" // which allows nothing without the user
			}
			out.result, err = f(d)
			return out, err
		})
		if !out.moved || err != nil {
			return out.result, err
		}
	}
}

// maxReads bounds how often withDisk reads again.
const maxReads = 10

// query runs f with every field of [disk] read, for commands of clients.
func query[T any](ctx context.Context, p *Permissions, f func(d disk) (T, error)) (T, error) {
	return withDisk(ctx, p, p.session.Do, everything, f)
}

// change does the same for a command that changes the rules, and then completes the requests
// that the rules now decide. run is [Session.Change] if f records something.
func change[T any](ctx context.Context, p *Permissions, run mailbox.Runner, f func() (T, error)) (T, error) {
	return withDisk(ctx, p, run, everything, func(d disk) (T, error) {
		result, err := f()
		if err == nil {
			p.reconsider(d)
		}
		return result, err
	})
}

// change is [change] for a command that has no result and records nothing.
func (p *Permissions) change(ctx context.Context, f func() error) error {
	_, err := change(ctx, p, p.session.Do, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// record is [change] for a command that has no result and records something.
func (p *Permissions) record(ctx context.Context, f func() error) error {
	_, err := change(ctx, p, p.session.Change, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

func (p *Permissions) invalid(op, format string, args ...any) error {
	return fault.New(fault.Invalid, op, p.opts.ID, format, args...)
}
