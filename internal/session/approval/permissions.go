package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is what permissions and questions need of the session that they belong to.
// agentID names the thread of an event: that of a sub-agent, "" for the main agent.
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
	// Cwd is the folder that the session works in. Any goroutine may call it; the
	// methods below are for the session's goroutine.
	Cwd() string
	// State is what the session has become. Only Record changes it.
	State() *state.State
	// Record appends events of a thread to the log, folds them into the state, and
	// sends them to all clients.
	Record(agentID string, events ...wire.Data) error
	// Emit sends an ephemeral event of a thread to all clients.
	Emit(agentID string, data wire.Data)
	// CanDecide reports whether an attached client answers permission requests.
	CanDecide() bool
}

// Options configures [New]. All fields are required, except for Rules.
type Options struct {
	Session Session
	ID      string // of the session, for errors
	Dir     string // the session's own folder, which it may read
	Plan    string // the name of the plan in it, which it may write
	// Rules are those that the program was started with. Clients cannot lift them.
	Rules permit.Rules
	// Grants and Paths are shared by all sessions of the process.
	Grants *Grants
	Paths  Paths
}

// Permissions are the permissions of one session. Its methods are safe for concurrent
// use, except for those whose comment says that they are for the session's goroutine.
// They return the errors of [Session.Do]: a change whose ctx ends early may still be made.
type Permissions struct {
	opts    Options
	session Session

	// The rest belongs to the session's goroutine.
	policy policy
	open   map[string]*request // by request id
	// expected are the requests of before a resume that the run has not come to yet, by
	// tool call id. All are of the main agent: those of sub-agents end with the process.
	expected map[string]*request
}

// New returns the permissions of a session, in which clients have set nothing yet.
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

// with runs f with run on the session's goroutine and returns its result. f gets what the
// disk holds, which with reads before, on the caller's goroutine: no session waits for a
// disk. If the session moves to another folder meanwhile, with reads again.
func with[T any](ctx context.Context, p *Permissions, run mailbox.Runner, w want, f func(d disk) (T, error)) (T, error) {
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

// maxReads bounds how often with reads the disk for a session that keeps moving.
const maxReads = 10

// query is with for a command of a client, which may need all that the disk holds.
func query[T any](ctx context.Context, p *Permissions, f func(d disk) (T, error)) (T, error) {
	return with(ctx, p, p.session.Do, everything, f)
}

// change is query for a command that changes the rules: afterwards the requests that the
// rules now decide are answered. run is [Session.Change] if f records something.
func change[T any](ctx context.Context, p *Permissions, run mailbox.Runner, f func() (T, error)) (T, error) {
	return with(ctx, p, run, everything, func(d disk) (T, error) {
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
