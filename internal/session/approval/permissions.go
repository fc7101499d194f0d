package approval

import (
	"context"
	"log/slog"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// Options configures [New]. All fields are required, except for
// Rules, Brought, Project and Sandbox.
type Options struct {
	Session Session
	ID      string // session id, for errors
	Dir     string // the session's own folder, which the session may read
	Plan    string // name of the plan in Dir, which the session may write
	// Start is the folder that the program was started in. A session that works in it, or
	// below it, may use its working directory, whatever its log is. Empty: unknown.
	Start string
	// Rules are the rules that the program was started with, which do not change any more.
	// Clients cannot remove them. nil: none.
	Rules *permit.Rules
	// Brought returns the folders of [permit.Rules.Brought], and [permit.Rules.Linked]. It may read files; it is never called on
	// the session's goroutine. nil: there are none.
	Brought func(ctx context.Context) (folders, linked []string)
	// Project returns what files of the project say. It is called as Brought is. nil: nothing.
	Project func(ctx context.Context) Project
	// Grants and Paths are shared by all sessions of the process.
	Grants *Grants
	Paths  Paths
	// Elsewhere returns the address that the calls of a model go to if that is not the session's own
	// provider, "" if it is, or if the user's configuration names that model. It is called on the session's
	// goroutine. Default: that of Copilot Extensions agents.
	Elsewhere func(model string) string
	// Logger is where it is reported that grants cannot be stored. Default nowhere.
	Logger *slog.Logger
	// Sandbox is how commands are confined; optional.
	Sandbox Sandbox
}

// Permissions are the commands of clients about the permissions of one session. They read
// files on the caller's goroutine, and then change the policy and the requests on the
// session's goroutine. The methods are safe for concurrent use, except for those whose
// comment requires the session's goroutine. They return the errors of [Session.Do].
type Permissions struct {
	session  Session
	id       string // session id, for errors
	files    *files
	policy   *policy
	requests *Requests
	vouched  *vouched
}

// New returns the permissions of a session without settings of clients, and its permission
// requests without an open one.
func New(opts Options) (*Permissions, *Requests) {
	if opts.Rules == nil {
		opts.Rules = &permit.Rules{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	f := &files{session: opts.Session, dir: opts.Dir, start: opts.Start, grants: opts.Grants, paths: opts.Paths, works: opts.Sandbox.Works, brought: opts.Brought, project: opts.Project}
	v := &vouched{session: opts.Session, grants: opts.Grants, logs: opts.Logger, now: &sessionGrants{Session: opts.ID}}
	rules := newPolicy(opts.Rules, opts.Plan, opts.Session.State(), v)
	rules.sandbox = opts.Sandbox.Settings
	if rules.elsewhere = opts.Elsewhere; rules.elsewhere == nil {
		rules.elsewhere = state.ExtensionAddress
	}
	f.sandboxed.Store(opts.Sandbox.Settings.On)
	requests := newRequests(opts.Session, rules, f)
	return &Permissions{session: opts.Session, id: opts.ID, files: f, policy: rules, requests: requests, vouched: v}, requests
}

// Rules returns all rules in force, each with its origin, as they hold with the sandboxes
// that work here.
func (p *Permissions) Rules(ctx context.Context) (permit.Rules, error) {
	return query(ctx, p, func(d disk) (permit.Rules, error) {
		rules := p.policy.inForce(d, &permit.Request{Kind: permit.URL}) // a kind that address rules apply to as well
		return p.policy.sandboxing(d).Limit(rules), nil
	})
}

// query runs f on the session's goroutine, with every field of [disk] read.
func query[T any](ctx context.Context, p *Permissions, f func(d disk) (T, error)) (T, error) {
	return withDisk(ctx, p.files, p.session.Do, everything, f)
}

// change runs f, which changes the policy, on the session's goroutine, and then completes
// the requests that the rules now decide. run is [Session.Change] if f records something.
func change[T any](ctx context.Context, p *Permissions, run mailbox.Runner, f func() (T, error)) (T, error) {
	return withDisk(ctx, p.files, run, everything, func(d disk) (T, error) {
		result, err := f()
		if err == nil {
			p.requests.reconsider(d)
		}
		return result, err
	})
}

// change is [change] for a command that has no result, records nothing and cannot fail.
func (p *Permissions) change(ctx context.Context, f func()) error {
	_, err := change(ctx, p, p.session.Do, func() (struct{}, error) { f(); return struct{}{}, nil })
	return err
}

// record is [change] for a command that has no result and records something.
func (p *Permissions) record(ctx context.Context, f func() error) error {
	_, err := change(ctx, p, p.session.Change, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// cwd returns the working directory of the session, after all earlier commands have ended.
func (p *Permissions) cwd(ctx context.Context) (string, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (string, error) { return p.session.State().Cwd, nil })
}

func (p *Permissions) invalid(op, format string, args ...any) error {
	return fault.New(fault.Invalid, op, p.id, format, args...)
}
