package listing

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// rowOf is the catalogue's row of a session. name is the name that the session was given,
// "" if it has only a title.
func rowOf(o state.Outline, log catalog.Stamp, name string) catalog.Row {
	return catalog.Row{
		ID: log.ID, Size: log.Size, Modified: log.Modified, Started: o.Started, Title: cmp.Or(name, o.Title), Listed: o.HasMessages || name != "",
		Cwd: o.Cwd, GitRoot: o.GitRoot, Repository: o.Repository, Branch: o.Branch,
	}
}

// Options configures [New]. Store, FS and Logger are required.
type Options struct {
	Store eventlog.Store
	// Named returns the name of a session, "" for none, and whether the user has chosen it. A
	// session can be named at any time, so the name is not in the head of its log.
	Named func(session string) (name string, byUser bool)
	// Catalog configures the catalogue; its Source and Logger are set here. Without a Path
	// every list reads the logs.
	Catalog catalog.Options
	Logger  *slog.Logger
}

// Lists lists sessions. It is safe for concurrent use.
type Lists struct {
	opts     Options
	catalog  *catalog.Catalog // nil if there is none
	watchers watchers
}

// New returns the lists of a store. Call Close when done.
func New(opts Options) *Lists {
	l := &Lists{opts: opts}
	if c := opts.Catalog; c.Path != "" {
		c.Source, c.Logger = logs{l}, opts.Logger
		l.catalog = catalog.New(c)
	}
	return l
}

// Close closes the catalogue. It waits for pending writes, at most until ctx ends.
func (l *Lists) Close(ctx context.Context) {
	if l.catalog != nil {
		l.catalog.Close(ctx)
	}
}

// Put records the current facts of a session: its outline, its name ("" for none), the size
// of its log in bytes, and the time of its last write. It does not block.
func (l *Lists) Put(id string, o state.Outline, name string, size int64, modified time.Time) {
	if l.catalog != nil {
		l.catalog.Put(rowOf(o, catalog.Stamp{ID: id, Size: size, Modified: modified}, name))
	}
}

// Forget records that a session was deleted. It does not block.
func (l *Lists) Forget(id string) {
	if l.catalog != nil {
		l.catalog.Forget(id)
	}
}

// logs presents the store to the catalogue.
type logs struct{ lists *Lists }

// Sessions implements [catalog.Source].
func (l logs) Sessions() ([]catalog.Stamp, error) { return l.lists.stamps(context.Background()) }

// Describe implements [catalog.Source].
func (l logs) Describe(log catalog.Stamp) (catalog.Row, error) {
	return l.lists.describe(context.Background(), log)
}

// stamps lists the logs.
func (l *Lists) stamps(ctx context.Context) ([]catalog.Stamp, error) {
	infos, err := l.opts.Store.Sessions(ctx)
	stamps := make([]catalog.Stamp, len(infos))
	for i, info := range infos {
		stamps[i] = catalog.Stamp(info)
	}
	return stamps, err
}

// describe reads the head of a log. A panic becomes an error, so that no log can prevent the
// list of the others.
func (l *Lists) describe(ctx context.Context, log catalog.Stamp) (row catalog.Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "session.Describe", log.ID, "panic: %v", p)
		}
	}()
	var head state.State
	left := state.HeadBytes
	for rec, err := range eventlog.Scan(ctx, l.opts.Store, log.ID) {
		if err != nil {
			return catalog.Row{}, err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			head.Apply(rec.Pos, e)
		} else {
			left -= len(rec.JSON)
		}
		if head.Outline.Settled() || left < 0 {
			break
		}
	}
	name, _ := l.opts.Named(log.ID)
	return rowOf(head.Outline, log, name), nil
}
