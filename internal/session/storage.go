package session

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Storage is where a session is kept: on this machine, or by a client.
type Storage struct {
	Log   eventlog.Store
	Files workspace.Store
	Dir   string            // the session's folder on this machine
	Kept  *clientfs.Storage // nil: on this machine
}

// Kept returns the storage of the client that keeps the session; nil: it is kept on this machine.
func (s *Session) Kept() *clientfs.Storage { return s.storage.kept }

// storage is where one session is kept, and where it works.
type storage struct {
	s    *Session
	dir  string            // the session's folder on this machine
	kept *clientfs.Storage // where a client keeps the session; nil: this program keeps it
}

// admits returns why a client cannot join the session; nil if it can. A client that keeps
// sessions expects to find in its storage every session that it joins.
func (k *storage) admits(kept *clientfs.Storage) error {
	if kept == nil || kept == k.kept {
		return nil
	}
	return &fault.Error{
		Op: "session.resume", On: k.s.id, Kind: fault.Conflict, Err: errElsewhere,
		Hint: "close it for all its clients, or resume it without sessionFs",
	}
}

var errElsewhere = errors.New("the session is open and not kept in the storage of this client")

// forsaken reports whether the client that keeps the session has left.
func (k *storage) forsaken() bool { return k.kept != nil && k.kept.Connection().Err() != nil }

// errForsaken keeps a session from recording anything more.
var errForsaken error = &fault.Error{
	Op: "session", Kind: fault.Unavailable, Err: errors.New("the client that keeps the session has left"),
	Hint: "resume the session when its client is back",
}

// watchKeeper takes a session out of memory when the client leaves that keeps it: nothing more
// can be recorded.
func (k *storage) watchKeeper() {
	if k.kept == nil {
		return
	}
	k.s.log.Go("session.keeper", func() {
		select {
		case <-k.s.Closed():
			return
		case <-k.kept.Connection().Done():
		}
		_ = k.s.log.Post(context.Background(), func() error { // no context: the session must not stay
			k.s.log.Break(errForsaken)
			k.s.life.startClosing()
			return nil
		})
	})
}

// startCwd is the working directory of a new session whose client names none.
func (k *storage) startCwd() string {
	if k.kept != nil && k.kept.Cwd() != "" {
		return k.kept.Cwd()
	}
	return k.s.home.Cwd
}

// planForTools is the path at which the built-in tools read and write the plan. They cannot use
// the storage of a client, so for a session that a client keeps it is the path of a copy on
// this machine.
func (k *storage) planForTools() string {
	if k.kept == nil {
		return k.s.workspace.Stored().PlanPath()
	}
	return filepath.Join(k.dir, "plan.md")
}

// fetchPlan copies the plan from the storage of a client for the tools of a run, and returns it.
// It is called on the goroutine of the run, as is storePlan.
func (k *storage) fetchPlan(ctx context.Context) (plan string) {
	if k.kept == nil {
		return ""
	}
	plan, exists, err := k.s.workspace.Plan(ctx)
	if err == nil && exists {
		if err = k.s.home.FS.MkdirAll(k.dir, 0o700); err == nil {
			err = vfs.WriteFileAtomic(k.s.home.FS, k.planForTools(), []byte(plan), 0o600)
		}
	}
	if err != nil {
		k.s.log.Logger().Warn("the tools of the model do not find the plan", "err", err)
	}
	return plan
}

// storePlan stores the plan in the storage of a client if the run has changed the copy. was is
// what fetchPlan returned.
func (k *storage) storePlan(was string) {
	if k.kept == nil || k.forsaken() {
		return
	}
	plan, err := k.s.home.FS.ReadFile(k.planForTools())
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(plan) == was {
		return
	}
	if err == nil {
		err = k.s.workspace.UpdatePlan(context.Background(), string(plan)) // no context: an aborted run has written it all the same
	}
	if err != nil {
		k.s.log.Logger().Warn("the plan that the model wrote was not stored", "err", err)
	}
}

// stored returns the file at a path in the storage of the client that keeps the session; nil if
// no client does, or if the path is none of the session's files.
func (k *storage) stored(at string) *tool.Stored {
	if k.kept == nil {
		return nil
	}
	name, ok := k.kept.Name(at)
	if !ok || !workspace.Named(name) && name != eventsFile {
		return nil
	}
	return &tool.Stored{Name: name, Read: func(ctx context.Context, limit int64) ([]byte, error) {
		return k.kept.Files(k.s.id).Read(ctx, name, limit)
	}}
}

// eventsFile is the log among the files of a session that a client keeps.
const eventsFile = "events.jsonl"

// removeLocal removes what the commands of a session that a client keeps have left here.
func (k *storage) removeLocal() {
	if k.kept == nil {
		return
	}
	if err := k.s.home.FS.RemoveAll(k.dir); err != nil {
		k.s.log.Logger().Warn("temporary files of the session's commands are left behind", "err", err)
	}
}

// Dir returns the folder with the files of the session: a path on this machine or, for a
// session that a client keeps, in the storage of the client.
func (s *Session) Dir() string { return s.storage.path(".") }

// path returns where a file in that folder is.
func (k *storage) path(name string) string {
	if k.kept != nil {
		return k.kept.Path(name)
	}
	return filepath.Join(k.dir, name)
}
