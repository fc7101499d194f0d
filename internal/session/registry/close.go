package registry

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Delete removes a session from memory and disk, also while clients are attached.
// [fault.NotFound] if there is none. If ctx ends early, the session may be closed and still
// be on disk.
func (r *Registry) Delete(ctx context.Context, id string) error {
	if s := r.loaded(id); s != nil && s.Kept() != nil {
		return r.delete(ctx, id, s.Kept())
	}
	return r.delete(ctx, id, r.opts.Store)
}

func (r *Registry) delete(ctx context.Context, id string, from eventlog.Store) error {
	if s := r.loaded(id); s != nil {
		if err := s.Discard(ctx); err != nil {
			return err
		}
	}
	if err := from.Delete(ctx, id); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return wire.SessionNotFound(id)
		}
		return err
	}
	if err := r.home.Grants.Forget(id); err != nil {
		r.opts.Logger.Warn("the grants of a deleted session are left behind", "session", id, "err", err)
	}
	r.Forget(id)
	r.Publish(wire.Lifecycle{Type: wire.LifecycleDeleted, SessionID: id})
	return nil
}

// Close closes every session, writing its session.shutdown, and waits for all
// of them, at most until ctx ends; then the error is [fault.Unavailable], and the sessions
// still close. A run that is under way is aborted. Nothing can be created or resumed after.
func (r *Registry) Close(ctx context.Context) error {
	return closeAll(ctx, r, (*session.Session).BeginClose)
}

// Suspend is [Registry.Close] for a process that is asked to end while its users want their runs: the log of a
// session with a run stays as it is, so that a resume with ContinuePendingWork goes on with the run
// and asks its open questions again, as after kill -9. Commands end. The method session.suspend of clients is something
// else: it closes one session, and aborts its run.
func Suspend(ctx context.Context, r *Registry) error {
	return closeAll(ctx, r, (*session.Session).BeginSuspend)
}

// closeAll closes every session with leave, which waits for nothing.
func closeAll(ctx context.Context, r *Registry, leave func(*session.Session)) error {
	defer r.Lists.Close(ctx)
	r.mu.Lock()
	r.closed, r.leave = true, leave
	r.running.Add(1) // until all sessions are asked: another Close may wait already
	open := r.all()
	r.mu.Unlock()
	for _, s := range open {
		leave(s)
	}
	r.running.Done()
	done := make(chan struct{})
	go func() { // ends with the last session, and the questions to servers
		r.running.Wait()
		r.stopFacts()
		close(done)
	}()
	select {
	case <-done:
		r.kept.Close()
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Close", "", "%d of %d sessions have not closed yet: %w", len(slices.Collect(r.Live())), len(open), ctx.Err())
	}
}
