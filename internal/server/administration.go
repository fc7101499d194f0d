package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// This file has the methods about stored sessions that a client need not be attached to:
// sessions.*.

// listStored lists the sessions of this machine that have a message. Beyond metadataLimit, a
// session is listed without the data from its log and its description. For sessions of the
// GitHub service, the list is empty, or an error if the client requires the service.
func listStored(ctx context.Context, c *conn, p wire.SessionsList) (any, error) {
	source := wire.SessionSource("local")
	if p.Source != nil {
		source = *p.Source
	}
	if source == "remote" || source == "all" {
		if p.ThrowOnError != nil && *p.ThrowOnError {
			return nil, fault.New(fault.Unavailable, "", "", "there are no sessions of the GitHub service here; ask for the source \"local\"")
		}
	} else if source != "local" {
		return nil, unfit(`source is %q, want "local", "remote" or "all"`, source)
	}
	listed := []wire.LocalSession{}
	if source != "remote" {
		list, err := c.home().Sessions.List(ctx, contextOf(p.Filter))
		if err != nil {
			return nil, err
		}
		for i, m := range list {
			listed = append(listed, c.local(m, p.MetadataLimit == nil || int64(i) < *p.MetadataLimit))
		}
	}
	return struct {
		Sessions []wire.LocalSession `json:"sessions"`
	}{listed}, nil
}

// local is a row of a list in the form that sessions.* use.
func (c *conn) local(m wire.SessionMetadata, full bool) wire.LocalSession {
	l := wire.LocalSession{SessionID: m.SessionID, StartTime: m.StartTime, ModifiedTime: m.ModifiedTime}
	if !full {
		return l
	}
	l.Summary = wire.Optional(m.Summary)
	if name, byUser := c.home().Sessions.Named(m.SessionID); byUser {
		l.Name = &name
	}
	if at := m.Context; at != nil {
		l.Context = &wire.StoredContext{
			Cwd: at.Cwd, GitRoot: wire.Optional(at.GitRoot), Repository: wire.Optional(at.Repository), Branch: wire.Optional(at.Branch),
		}
	}
	return l
}

func contextOf(f *wire.SessionsFilter) (at wire.SessionContext) {
	if f == nil {
		return at
	}
	for to, from := range map[*string]*string{&at.Cwd: f.Cwd, &at.GitRoot: f.GitRoot, &at.Repository: f.Repository, &at.Branch: f.Branch} {
		if from != nil {
			*to = *from
		}
	}
	return at
}

// found is the answer of the methods that look for a session. The id is empty if no session was
// found.
type found struct {
	SessionID string `json:"sessionId,omitempty"`
}

func findByPrefix(ctx context.Context, c *conn, p struct {
	Prefix string `json:"prefix"`
},
) (any, error) {
	if p.Prefix == "" {
		return nil, missing("prefix")
	}
	id, err := c.home().Sessions.ByPrefix(ctx, p.Prefix)
	return found{id}, err
}

// findByTask finds nothing: no session here belongs to a task of GitHub.
func findByTask(context.Context, *conn, none) (any, error) { return found{}, nil }

func lastForContext(ctx context.Context, c *conn, p struct {
	Context wire.SessionContext `json:"context"`
},
) (any, error) {
	id, err := c.home().Sessions.LastFor(ctx, p.Context)
	return found{id}, err
}

func sessionSizes(ctx context.Context, c *conn, _ none) (any, error) {
	sizes, err := c.home().Sessions.Sizes(ctx)
	return wire.SessionsSizes{Sizes: sizes}, err
}

// several is for methods about sessions that are named by their ids.
type several struct {
	SessionIDs []string `json:"sessionIds"`
}

func checkInUse(ctx context.Context, c *conn, p several) (any, error) {
	used, err := c.home().Sessions.UsedElsewhere(ctx, p.SessionIDs)
	if err != nil {
		return nil, err
	}
	return encode(wire.SessionsInUse{InUse: used})
}

// enrichMetadata fills in what is missing in descriptions of sessions. A session that does
// not exist is returned as it was sent.
func enrichMetadata(ctx context.Context, c *conn, p wire.SessionsEnrich) (any, error) {
	for i, l := range p.Sessions {
		if l.Summary != nil && l.Context != nil {
			continue
		}
		m, err := c.home().Sessions.Metadata(ctx, l.SessionID)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		known := c.local(*m, true)
		if l.Summary == nil {
			p.Sessions[i].Summary = known.Summary
		}
		if l.Context == nil {
			p.Sessions[i].Context = known.Context
		}
		if l.Name == nil {
			p.Sessions[i].Name = known.Name
		}
	}
	return encode(wire.SessionsEnriched(p))
}

func closeStored(ctx context.Context, c *conn, p named) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	return empty{}, c.home().Sessions.CloseSession(ctx, p.SessionID)
}

// saveStored has nothing to do: every event is with the operating system before a client
// learns of it. Whether it must survive a power cut is a setting of the process.
func saveStored(_ context.Context, _ *conn, p named) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	return empty{}, nil
}

// releaseLock fails for a session that this process has open, because such a session needs its
// lock.
func releaseLock(_ context.Context, c *conn, p named) (any, error) {
	if c.home().Sessions.InMemory(p.SessionID) {
		return nil, fault.New(fault.Conflict, "", p.SessionID, "the session is open here; sessions.close closes it and releases its lock")
	}
	return empty{}, nil
}

func pruneOld(ctx context.Context, c *conn, p wire.SessionsPrune) (any, error) {
	out, err := c.home().Sessions.Prune(ctx, p)
	if err != nil {
		return nil, err
	}
	return out, nil
}

func bulkDelete(ctx context.Context, c *conn, p several) (any, error) {
	freed, err := c.home().Sessions.DeleteAll(ctx, p.SessionIDs)
	return wire.SessionsBulkDeleted{FreedBytes: freed}, err
}

func deleteStored(ctx context.Context, c *conn, p named) (any, error) {
	return none{}, c.remove(ctx, p.SessionID)
}

func storedMetadata(ctx context.Context, c *conn, p named) (any, error) {
	m, err := c.home().Sessions.Metadata(ctx, p.SessionID)
	var out struct {
		Session *wire.LocalSession `json:"session,omitempty"`
	}
	if m != nil {
		l := c.local(*m, true)
		out.Session = &l
	}
	return out, err
}

// maxIDs bounds a list of ids when the client names no limit.
const maxIDs = 1000

func nonEmptyIDs(ctx context.Context, c *conn, p struct {
	Limit *int64 `json:"limit"`
},
) (any, error) {
	limit := maxIDs
	if p.Limit != nil {
		if *p.Limit < 0 {
			return nil, tooSmall("limit", *p.Limit, 0)
		}
		limit = int(min(*p.Limit, maxIDs))
	}
	list, err := c.home().Sessions.List(ctx, wire.SessionContext{})
	ids := []string{}
	for _, m := range list[:min(limit, len(list))] {
		ids = append(ids, m.SessionID)
	}
	return struct {
		SessionIDs []string `json:"sessionIds"`
	}{ids}, err
}

// eventFile answers with the path of a session's log, whether or not there is one.
func eventFile(_ context.Context, c *conn, p named) (any, error) {
	dir := c.home().Sessions.Dir(p.SessionID)
	if dir == "" {
		return nil, unfit("%q cannot be the id of a session", p.SessionID)
	}
	return struct {
		FilePath string `json:"filePath"`
	}{filepath.Join(dir, "events.jsonl")}, nil
}

// boardEntries answers without a count, because this program has no such board.
func boardEntries(context.Context, *conn, none) (any, error) { return empty{}, nil }

// persistedSteerable answers with the last value of remoteSteerable in a session's log.
func persistedSteerable(ctx context.Context, c *conn, p named) (any, error) {
	var out struct {
		RemoteSteerable json.RawMessage `json:"remoteSteerable,omitempty"`
	}
	for line, err := range c.home().Sessions.History(ctx, p.SessionID) {
		if err != nil {
			return nil, err
		}
		e := wire.Raw(line)
		if e.Get("type").Text() == "session.remote_steerable_changed" {
			out.RemoteSteerable = slices.Clone(json.RawMessage(e.Get("data").Get("remoteSteerable")))
		}
	}
	return out, nil
}

// connectRemote fails: sessions of the GitHub service cannot be connected to.
func connectRemote(_ context.Context, _ *conn, p named) (any, error) {
	return nil, fault.New(fault.NotFound, "", p.SessionID, "there is no such remote session: this runtime has no service of remote sessions")
}
