package registry

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Create starts a session and attaches its first client. peer calls that client; nil: it
// cannot be called. An empty cfg.SessionID gets a fresh one. [fault.Conflict] if the id is
// taken, [fault.Invalid] if it cannot be one or the configuration contradicts itself.
func (r *Registry) Create(ctx context.Context, cfg wire.Config, peer session.Peer) (*session.Client, error) {
	if cfg.SessionID == "" {
		cfg.SessionID = wire.NewSessionID()
	}
	cfg, err := r.accept(cfg)
	if err != nil {
		return nil, err
	}
	sl, mine, err := r.claim(cfg.SessionID)
	if err != nil {
		return nil, err
	}
	if !mine {
		return nil, session.Taken(cfg.SessionID)
	}
	s, c, err := session.Create(ctx, r.home, r.storage(peer, cfg.SessionID), cfg, peer)
	if err := r.fill(sl, cfg.SessionID, s, err); err != nil {
		return nil, err
	}
	r.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: s.ID()})
	return c, nil
}

// maxOpenTries bounds how often Open tries again because the session was deleted, or could
// not be created by another caller, meanwhile.
const maxOpenTries = 10

// Open is [Registry.Create] if there is no session of that id yet, else [Registry.Resume].
func (r *Registry) Open(ctx context.Context, cfg wire.Config, peer session.Peer, replacing *session.Client) (c *session.Client, err error) {
	for range maxOpenTries {
		if c, err = r.Create(ctx, cfg, peer); !errors.Is(err, session.ErrTaken) {
			return c, err
		}
		c, err = r.Resume(ctx, cfg, peer, replacing)
		if !session.Gone(err) {
			return c, err
		}
	}
	return nil, err
}

// Resume attaches a client to a session, from memory or from disk. replacing is
// the earlier attachment of the same client, which ends, or nil.
// A tool that another client provides goes to the new one. [fault.NotFound] if there is
// no such session, [fault.Conflict] if its log is damaged and cfg does not allow to repair it. If ctx ends early, the client is not attached to a session in memory;
// a session that is read from disk is opened all the same.
func (r *Registry) Resume(ctx context.Context, cfg wire.Config, peer session.Peer, replacing *session.Client) (*session.Client, error) {
	cfg, err := r.accept(cfg)
	if err != nil {
		return nil, err
	}
	for {
		sl, mine, err := r.claim(cfg.SessionID)
		if err != nil {
			return nil, err
		}
		if mine {
			opening := context.WithoutCancel(ctx) // others may wait for it, too
			if cfg.AllowRecovery != nil && !*cfg.AllowRecovery {
				opening = eventlog.Unrepaired(opening)
			}
			s, c, err := session.Open(opening, r.home, r.storage(peer, cfg.SessionID), cfg, peer)
			return c, r.fill(sl, cfg.SessionID, s, err)
		}
		select {
		case <-sl.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if sl.err != nil {
			continue // that was about the other client's request: this one has an answer of its own
		}
		c, err := sl.session.Join(ctx, keptBy(peer), cfg, peer, replacing)
		if !session.Gone(err) {
			return c, err
		}
		select { // it is leaving memory just now: open it anew
		case <-sl.session.Closed():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// claim returns the slot of an id and whether the caller has to fill it, with
// [Registry.fill] and whatever happens.
func (r *Registry) claim(id string) (sl *slot, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, fault.New(fault.Unavailable, "session", id, "the server is shutting down")
	}
	if sl = r.slots[id]; sl != nil {
		return sl, false, nil
	}
	sl = &slot{ready: make(chan struct{})}
	r.slots[id] = sl
	r.running.Add(1) // until fill: Close waits for it
	return sl, true, nil
}

// fill ends the opening of a session, and frees its slot if that failed.
func (r *Registry) fill(sl *slot, id string, s *session.Session, err error) error {
	defer r.running.Done()
	r.mu.Lock()
	sl.session, sl.err = s, err
	if err != nil {
		delete(r.slots, id)
	}
	for f := range r.followers {
		if f.id == id {
			f.opened() // to read from the session; of one that could not be opened, from storage again
		}
	}
	late, leave := r.closed && s != nil, r.leave
	r.mu.Unlock()
	close(sl.ready)
	if late {
		leave(s)
	}
	return err
}

// accept returns a configuration with what the disk adds to it. It refuses configurations that this
// runtime cannot honour or that contradict themselves, before anything is stored.
func (r *Registry) accept(cfg wire.Config) (wire.Config, error) {
	cfg, err := r.home.Check(cfg)
	if err != nil {
		return cfg, err
	}
	return r.withServerFiles(cfg), nil
}
