package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// rowOf is the catalogue's row of a session with that outline, whose log is as its stamp
// says, under the name that it was given, if any.
func rowOf(o state.Outline, log catalog.Stamp, name string) catalog.Row {
	return catalog.Row{
		ID: log.ID, Size: log.Size, Modified: log.Modified, Started: o.Started, Title: cmp.Or(name, o.Title), Said: o.HasMessages,
		Cwd: o.Cwd, GitRoot: o.GitRoot, Repository: o.Repository, Branch: o.Branch,
	}
}

// note tells the catalogue what has become of a session, unless it works: a run
// is noted when it ends. It waits for nothing.
func (s *Session) note() {
	if c := s.reg.catalog; c != nil && s.run == nil {
		c.Put(rowOf(s.state.Outline, catalog.Stamp{ID: s.id, Size: s.log.Size(), Modified: s.state.Modified}, s.state.Name.Name))
	}
}

// forget tells the catalogue that a session was deleted.
func (r *Registry) forget(id string) {
	if r.catalog != nil {
		r.catalog.Forget(id)
	}
}

func (r *Registry) openCatalog() {
	if opts := r.opts.Catalog; opts.Path != "" {
		opts.Source, opts.Logger = logs{r}, r.opts.Logger
		r.catalog = catalog.New(opts)
	}
}

func (r *Registry) closeCatalog(ctx context.Context) {
	if r.catalog != nil {
		r.catalog.Close(ctx)
	}
}

// logs is the store as the catalogue sees it.
type logs struct{ r *Registry }

// Sessions implements [catalog.Source].
func (l logs) Sessions() ([]catalog.Stamp, error) {
	infos, err := l.r.opts.Store.Sessions()
	stamps := make([]catalog.Stamp, len(infos))
	for i, info := range infos {
		stamps[i] = catalog.Stamp(info)
	}
	return stamps, err
}

// Describe implements [catalog.Source]: it folds the head of the log. Whatever is
// in a log, it stops no list of the others.
func (l logs) Describe(log catalog.Stamp) (row catalog.Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "session.Describe", log.ID, "panic: %v", p)
		}
	}()
	var head state.State
	left := state.HeadBytes
	for rec, err := range l.r.opts.Store.Scan(log.ID) {
		if err != nil {
			return catalog.Row{}, err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			head.Apply(rec.Seq, e)
		} else {
			left -= len(rec.JSON)
		}
		if head.Outline.Settled() || left < 0 {
			break
		}
	}
	return rowOf(head.Outline, log, describedName(l.r.opts.FS, l.r.opts.Store.Dir(log.ID))), nil
}
