package registry

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Keeper is a [session.Peer] whose client may keep the sessions that it creates and resumes.
type Keeper interface {
	session.Peer
	// Storage is where the client keeps them; nil if it does not.
	Storage() *clientfs.Storage
}

// keptBy is where the client keeps sessions; nil if it does not.
func keptBy(peer session.Peer) *clientfs.Storage {
	if keeper, _ := peer.(Keeper); keeper != nil {
		return keeper.Storage()
	}
	return nil
}

// storage returns where a session is stored that this client creates or resumes. A session that
// a client keeps has a folder on this machine only for the temporary files of its commands.
func (r *Registry) storage(peer session.Peer, id string) session.Storage {
	kept := keptBy(peer)
	if kept == nil {
		return session.Storage{Log: r.opts.Store, Files: r.opts.Workspaces, Dir: r.opts.Store.Dir(id)}
	}
	return session.Storage{Log: kept, Files: kept, Dir: r.kept.Next(), Kept: kept}
}

// KeptHere reports whether a session is in memory that is stored on this machine.
func (r *Registry) KeptHere() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, sl := range r.slots {
		if sl.session != nil && sl.session.Kept() == nil {
			return true
		}
	}
	return false
}

// KeptBy lists the sessions that a client keeps, as far as they are known: those that were created
// or opened through this storage, in memory or not. There is no catalogue, so lists read the logs.
// Metadata also finds others.
func (r *Registry) KeptBy(from *clientfs.Storage) *listing.Lists {
	return listing.New(listing.Options{
		Store: from, Logger: r.opts.Logger,
		Named: func(id string) (string, bool) { return workspace.New(id, from.Files(id)).Name(context.Background()) },
	})
}

// DeleteKept is [Registry.Delete] for a client with a storage: the session is deleted there, or
// here if it is not there.
func (r *Registry) DeleteKept(ctx context.Context, id string, from *clientfs.Storage) error {
	if s := r.loaded(id); s == nil || s.Kept() == from {
		err := r.delete(ctx, id, from)
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	return r.Delete(ctx, id)
}
