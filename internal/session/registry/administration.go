package registry

import (
	"context"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// This file has what clients do with stored sessions that they need not be attached to.

// UsedElsewhere returns those of the sessions that another process has open. A session that
// only this process has open, or that does not exist, is not among them; nor is any where the
// system cannot tell.
func (r *Registry) UsedElsewhere(ctx context.Context, ids []string) (used []string, err error) {
	for _, id := range ids {
		other := ""
		if s := r.loaded(id); s != nil { // its own stream distinguishes this process from others
			other = s.OpenElsewhere()
		} else if other, err = r.Lists.UsedElsewhere(ctx, id); err != nil {
			return nil, err
		}
		if other != "" {
			used = append(used, id)
		}
	}
	return used, nil
}

// Dir is [Store.Dir]: where a session has its files, whether or not there is one; "" if id
// cannot be the id of a session.
func (r *Registry) Dir(id string) string { return r.opts.Store.Dir(id) }

// InMemory reports whether a session is in memory.
func (r *Registry) InMemory(id string) bool { return r.loaded(id) != nil }

// CloseSession is [session.Session.Close] for a session that need not be in memory.
func (r *Registry) CloseSession(ctx context.Context, id string) error {
	if s := r.loaded(id); s != nil {
		return s.Close(ctx)
	}
	return nil
}

// ClientMetadata returns what clients have noted about a session, which need not be in memory.
// [fault.NotFound] if there is none.
func (r *Registry) ClientMetadata(ctx context.Context, id string) (map[string]string, error) {
	m, err := r.Metadata(ctx, id)
	if err == nil && m == nil {
		err = wire.SessionNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	return workspace.New(id, r.opts.Workspaces.Files(id)).ClientMetadata(ctx)
}

// maxSized bounds the files of one session that count for its size.
const maxSized = 100_000

// logFile is the log in the folder of a session, if the store is package files.
const logFile = "events.jsonl"

// Bytes returns how much a session takes in storage, with its files and its log, which has log bytes.
func (r *Registry) Bytes(ctx context.Context, id string, log int64) (n int64, err error) {
	files, err := r.opts.Workspaces.Files(id).List(ctx, ".", maxSized)
	for _, f := range files {
		if f.Name != logFile {
			n += f.Size
		}
	}
	return n + log, err
}

// Sizes returns the sizes of all stored sessions, as [Registry.Bytes].
func (r *Registry) Sizes(ctx context.Context) (map[string]int64, error) {
	infos, err := r.Stored(ctx)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(infos))
	for _, info := range infos {
		if sizes[info.ID], err = r.Bytes(ctx, info.ID, info.Size); err != nil {
			r.opts.Logger.Warn("the size of a session is not complete", "session", info.ID, "err", err)
		}
	}
	return sizes, ctx.Err()
}

// Prune deletes sessions that were not changed for p.OlderThanDays days, or reports which it
// would delete. It skips sessions that are open in any process, and those that the user has
// named unless p says otherwise. A session that cannot be deleted is skipped.
func (r *Registry) Prune(ctx context.Context, p wire.SessionsPrune) (out wire.SessionsPruned, err error) {
	if p.OlderThanDays < 0 {
		return out, fault.New(fault.Invalid, "sessions.pruneOld", "", "olderThanDays is %d, want 0 or more", p.OlderThanDays)
	}
	out = wire.SessionsPruned{Candidates: []string{}, Deleted: []string{}, Skipped: []string{}, DryRun: is(p.DryRun)}
	infos, err := r.Stored(ctx)
	if err != nil {
		return out, err
	}
	until := time.Now().AddDate(0, 0, -int(min(p.OlderThanDays, 1e6)))
	for _, info := range infos {
		if info.Modified.After(until) || slices.Contains(p.ExcludeSessionIDs, info.ID) {
			continue
		}
		if keep, err := r.keeps(ctx, info.ID, is(p.IncludeNamed)); err != nil || keep {
			out.Skipped = append(out.Skipped, info.ID)
			continue
		}
		size, _ := r.Bytes(ctx, info.ID, info.Size) // of an unreadable folder: what can be seen
		switch {
		case out.DryRun:
			out.Candidates = append(out.Candidates, info.ID)
		case r.Delete(ctx, info.ID) != nil:
			out.Skipped = append(out.Skipped, info.ID)
			continue
		default:
			out.Deleted = append(out.Deleted, info.ID)
		}
		out.FreedBytes += size
	}
	return out, ctx.Err()
}

// keeps reports whether a session is not to be pruned.
func (r *Registry) keeps(ctx context.Context, id string, named bool) (bool, error) {
	if r.InMemory(id) {
		return true, nil
	}
	if _, byUser := r.Named(id); byUser && !named {
		return true, nil
	}
	used, err := r.UsedElsewhere(ctx, []string{id})
	return len(used) > 0, err
}

// DeleteAll deletes sessions and returns how many bytes each took. Those that do not exist or
// could not be deleted are not in it; the reasons are logged.
func (r *Registry) DeleteAll(ctx context.Context, ids []string) (map[string]int64, error) {
	freed := map[string]int64{}
	infos, err := r.Stored(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if !slices.Contains(ids, info.ID) {
			continue
		}
		size, _ := r.Bytes(ctx, info.ID, info.Size)
		if err := r.Delete(ctx, info.ID); err != nil {
			r.opts.Logger.Warn("a session was not deleted", "session", info.ID, "err", err)
			continue
		}
		freed[info.ID] = size
	}
	return freed, ctx.Err()
}
