package session

import (
	"cmp"
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// outline is what a list shows of a session: what its log says up to the first
// message, in which the title is. What comes later changes none of it, so the
// head of a log and the session in memory give the same.
type outline struct {
	started                          time.Time
	title                            string
	cwd, gitRoot, repository, branch string
	said                             bool
	read                             int // bytes of data so far
}

// headBytes bounds what of a log is read for its outline, in bytes. The first
// message stands at the very beginning of all logs we know.
const headBytes = 256 << 10

// settled says whether no later event can change the outline.
func (o *outline) settled() bool { return o.title != "" || o.read > headBytes }

// sketch takes the outline over from the state after e.
func (h *history) sketch(e wire.Event) {
	if h.outline.settled() {
		return
	}
	h.outline = outline{
		started: h.started, title: h.title, cwd: h.cwd, gitRoot: h.gitRoot, repository: h.repository, branch: h.branch,
		said: h.outline.said || len(h.entries) > 0, read: h.outline.read + len(e.Data),
	}
}

// row is the outline of a session whose log now is as its stamp says, under the
// name that it was given, if any.
func (o *outline) row(log catalog.Stamp, name string) catalog.Row {
	return catalog.Row{
		ID: log.ID, Size: log.Size, Modified: log.Modified, Started: o.started, Title: cmp.Or(name, o.title), Said: o.said,
		Cwd: o.cwd, GitRoot: o.gitRoot, Repository: o.repository, Branch: o.branch,
	}
}

// note tells the catalogue what has become of a session, unless it works: a run
// is noted when it ends. It waits for nothing.
func (s *Session) note() {
	if c := s.reg.catalog; c != nil && s.run == nil {
		c.Put(s.outline.row(catalog.Stamp{ID: s.id, Size: s.log.Size(), Modified: s.modified}, s.name.Name))
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
	var h history
	left := headBytes
	for rec, err := range l.r.opts.Store.Scan(log.ID) {
		if err != nil {
			return catalog.Row{}, err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			h.apply(rec.Seq, e)
		} else {
			left -= len(rec.JSON)
		}
		if h.outline.settled() || left < 0 {
			break
		}
	}
	return h.outline.row(log, describedName(l.r.opts.FS, l.r.opts.Store.Dir(log.ID))), nil
}
