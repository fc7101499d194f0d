package session

import (
	"context"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Aside is what commands have made and what was moved aside in the working directory of a session.
type Aside struct{ s *Session }

// Quarantine returns what was moved aside.
func Quarantine(s *Session) Aside { return Aside{s} }

func (a Aside) cwd(ctx context.Context) (string, error) {
	return mailbox.Ask(ctx, a.s.log.Do, func() (string, error) { return a.s.log.State().Cwd, nil })
}

// List returns what is aside, in the order in which it was moved. It reads files.
func (a Aside) List(ctx context.Context) (list []wire.MovedAside, err error) {
	cwd, err := a.cwd(ctx)
	if err != nil {
		return nil, err
	}
	items, err := a.s.home.Quarantine.Below(cwd)
	list = []wire.MovedAside{}
	for _, i := range items {
		list = append(list, tool.MovedAside(i))
	}
	return list, err
}

// Allow gives something its name back. It changes files. Errors are those of [quarantine.Store.Allow]; something
// outside of the working directory is not found.
func (a Aside) Allow(ctx context.Context, p wire.TakeBack) (wire.MovedAside, error) {
	cwd, err := a.cwd(ctx)
	if err != nil {
		return wire.MovedAside{}, err
	}
	if !filepath.IsAbs(p.Path) {
		p.Path = filepath.Join(cwd, p.Path)
	}
	item, err := a.s.home.Quarantine.AllowIn(cwd, p.Path, p.Changed)
	return tool.MovedAside(item), err
}

// tellFound tells the clients what something in the background has made and what was moved aside. It is called on
// any goroutine but that of the session.
func tellFound(s *Session, f quarantine.Found) {
	for _, data := range tool.Aside(f) {
		_ = s.log.Post(context.Background(), func() error { s.log.RecordOrEmit("", data); return nil }) // an error is that of a closed session
	}
}

// lookWhileItRuns has a guard look at what a program makes that is not a command of the model, and that starts in a sandbox
// now: a server or a hook of the project.
func lookWhileItRuns(s *Session, p sandbox.Policy) {
	if guard := s.tools.guard.Load(); guard != nil && p.Mode == sandbox.WorkspaceWrite {
		guard.Serve(p)
	}
}

// recoverAside looks in the folders of sessions whose process was killed while a command ran, before the model is asked.
func (r *run) recoverAside(ctx context.Context) {
	guard, err := mailbox.Ask(ctx, r.s.log.Post, func() (*quarantine.Guard, error) { return r.s.tools.own().Guard, nil })
	if err == nil && guard != nil {
		tellFound(r.s, guard.Recover())
	}
}

// lookAround looks at what the commands of a run have left, before the session is idle: the user's next step may be
// in the folder.
func (r *run) lookAround() {
	if guard := r.s.tools.guard.Load(); guard != nil {
		tellFound(r.s, guard.Look())
	}
}
