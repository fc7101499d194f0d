package registry

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Wishes are what a foreign log names that has no effect until the user says so. The zero value names
// nothing. Decision 29 has all of them.
type Wishes struct {
	Model, Address    string // a model whose calls go elsewhere than to the provider of this program, and where
	Folder            string // the working directory
	Agent             string // the selected agent
	Autopilot         bool
	Queued, Scheduled int // messages in the queue, and scheduled prompts
}

// Wishes returns what the stored log of a session names, if the session is not one of this machine and is
// not in memory. Of a session of this machine it reads the first event only. The errors are those of
// [eventlog.Scan].
func (r *Registry) Wishes(ctx context.Context, id string) (w Wishes, err error) {
	if r.loaded(id) != nil {
		return w, nil
	}
	var s state.State
	for rec, err := range eventlog.Scan(ctx, r.opts.Store, id) {
		if err != nil {
			return w, err
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil {
			continue
		}
		s.Apply(rec.Pos, e)
		if s.Origin.ID != "" && r.home.Grants.Own(id, s.Origin) {
			return w, nil
		}
	}
	if w.Address = r.home.Models.Elsewhere(r.opts.Provider, s.Model); w.Address != "" {
		w.Model = s.Model
	}
	if s.Cwd != "" && !(permit.Folders{Primary: r.opts.Cwd}).Contains(s.Cwd) {
		w.Folder = s.Cwd
	}
	w.Agent, w.Autopilot, w.Queued, w.Scheduled = s.Agent, s.ModeNow() == "autopilot", len(s.Queue), len(s.Schedule)
	return w, nil
}

// WorkedIn reports whether a stored session is one of this machine that works in a folder which was chosen
// here, not only by its log.
func (r *Registry) WorkedIn(ctx context.Context, grants *approval.Grants, id, dir string) (bool, error) {
	for rec, err := range eventlog.Scan(ctx, r.opts.Store, id) {
		if err != nil {
			return false, err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil && e.Type == "session.start" {
			return grants.WorkedIn(id, state.OriginOf(e.ID, wire.Raw(e.Data)), dir), nil
		}
	}
	return false, nil
}
