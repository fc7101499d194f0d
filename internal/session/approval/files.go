package approval

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// disk holds what the policy needs to know about files: resolved folders and saved
// approvals.
type disk struct {
	cwd       string        // working directory at the time of reading
	primary   string        // primary folder, resolved; "" if that failed
	own       string        // the session's own folder, resolved
	started   string        // the folder that the program was started in, resolved; "" if unknown
	addresses []permit.Rule // approvals for always
	works     Works         // which sandboxes work on this machine
	brought   []string      // the folders of [Options.Brought]
	linked    []string      // what links lead to; see [Options.Brought]
	project   Project       // what files of the project say; see [Options.Project]
}

// Project is what the settings files of other programs say in a project.
type Project struct {
	// Rules are its rules and further folders.
	Rules permit.Rules
	// Refuses means that a call which no rule allows is refused, and nobody is asked.
	Refuses bool
}

// want says which parts of [disk] to read.
type want struct{ primary, own, addresses, works, brought bool }

var everything = want{primary: true, own: true, addresses: true, works: true, brought: true}

// wantFor returns the fields of [disk] that the policy needs for a request.
func wantFor(q *permit.Request) want {
	return want{
		primary:   q.Kind != permit.CustomTool && q.Kind != permit.MCP, // such a tool touches no files that are known here
		own:       q.Kind == permit.Read || q.Kind == permit.Write,
		addresses: q.Kind == permit.URL || q.Kind == permit.Shell, // a sandbox lets commands connect to them
		works:     q.Kind == permit.Shell,
		brought:   q.Kind == permit.Write || q.Kind == permit.Shell,
	}
}

// files reads [disk] for one session, and saves approvals that outlast the session. Its
// methods wait for the disk: none may be called on the session's goroutine.
type files struct {
	session Session
	dir     string // the session's own folder
	start   string // [Options].Start
	grants  *Grants
	paths   Paths
	works   func() Works // nil: no sandbox works
	brought func(context.Context) (folders, linked []string)
	project func(context.Context) Project // nil: nothing
	// sandboxed is whether the sandbox of the session is on. Otherwise it need not be known
	// which sandboxes work, and finding that out starts programs.
	sandboxed atomic.Bool
	found     sync.Map // what real has returned, by path
}

// real resolves a folder that the client or the user has chosen: the first time, and then it is
// the same one. A command that may write above it can put a link in its place, which must not
// choose what later commands may reach.
func (f *files) real(path string) string {
	if real, ok := f.found.Load(path); ok {
		return real.(string)
	}
	real := f.paths.Resolve(filepath.Clean(path))
	if real != "" {
		f.found.Store(path, real)
	}
	return real
}

// read reads the wanted parts. A grants file that cannot be read allows nothing.
func (f *files) read(w want) disk {
	d := disk{cwd: f.session.Cwd()}
	if w.primary {
		d.primary = f.real(d.cwd)
		d.started = f.started()
	}
	if w.own {
		d.own = f.paths.Resolve(f.dir)
	}
	if w.addresses {
		d.addresses = f.grants.addresses()
	}
	if w.works && f.sandboxed.Load() {
		d.works = Works{Why: "no sandbox was set up"}
		if f.works != nil {
			d.works = f.works()
		}
	}
	return d
}

// started resolves the folder that the program was started in.
func (f *files) started() string {
	if f.start == "" {
		return ""
	}
	return f.real(f.start)
}

// withDisk reads paths and grants on the caller's goroutine, then runs do with them on the
// session's goroutine, so that no session waits for a disk, and returns do's result. If the
// session changes its working directory in between, withDisk reads again.
func withDisk[T any](ctx context.Context, f *files, run mailbox.Runner, w want, do func(d disk) (T, error)) (T, error) {
	type outcome struct {
		result T
		moved  bool
	}
	for try := 1; ; try++ {
		d := f.read(w)
		if w.brought && f.brought != nil {
			d.brought, d.linked = f.brought(ctx)
		}
		if f.project != nil {
			d.project = f.project(ctx)
		}
		out, err := mailbox.Ask(ctx, run, func() (out outcome, err error) {
			d := d
			switch {
			case d.cwd == f.session.State().Cwd:
			case try < maxReads:
				return outcome{moved: true}, nil
			default:
				d.primary = "" // which allows nothing without the user
			}
			out.result, err = do(d)
			return out, err
		})
		if !out.moved || err != nil {
			return out.result, err
		}
	}
}

// maxReads bounds how often withDisk reads again.
const maxReads = 10

// save stores an approval for its location, or for always, in the file of grants. In this
// session it applies as soon as the answer is recorded, as an approval for the session does.
// undo removes from the file what save has added to it, and nothing that was there before.
// seen are the definitions of tools that it holds for.
func (f *files) save(a permit.Answer, seen definitions) (completed permit.Answer, undo func() error, err error) {
	if a.Scope == permit.Always {
		var added []string
		err = f.grants.change(func(b *grantsFile) { added = b.addAddresses(a.Rules) })
		return a, func() error { return f.grants.change(func(b *grantsFile) { b.removeAddresses(added) }) }, err
	}
	l, err := f.paths.location("", f.session.Cwd())
	if err != nil {
		return a, nil, err
	}
	if a.Location == "" {
		a.Location = l.LocationKey
	}
	var added []wire.PermissionRule
	err = f.grants.change(func(b *grantsFile) {
		l := b.at(a.Location)
		added, l.Tools = l.add(permit.ToWire(a.Rules)), l.Tools.with(seen)
		b.removeEmpty()
	})
	undo = func() error {
		return f.grants.change(func(b *grantsFile) { b.at(a.Location).remove(added); b.removeEmpty() })
	}
	return a, undo, err
}
