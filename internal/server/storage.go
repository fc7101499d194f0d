package server

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that has called sessionFs.setProvider keeps the sessions that it creates and resumes:
// their logs, other files and databases are read and written by its methods sessionFs.*.

// Storage implements [session.Keeper].
func (p peer) Storage() *clientfs.Storage { return p.c.storage.Load() }

// Why a client cannot begin to keep sessions.
var (
	errOpen  = errors.New("sessions are open that this program keeps; call sessionFs.setProvider before the first session is created")
	errAgain = errors.New("this client keeps its sessions already")
)

// setStorageProvider makes the client keep its sessions.
func setStorageProvider(_ context.Context, c *conn, p wire.StorageProvider) (any, error) {
	windows := p.Conventions == "windows"
	switch {
	case p.Conventions != "posix" && !windows:
		return nil, fault.New(fault.Invalid, "", "", `conventions is %q, want "posix" or "windows"`, p.Conventions)
	case p.SessionStatePath == "":
		return nil, missing("sessionStatePath")
	case !strings.HasPrefix(p.SessionStatePath, "/") && !windows:
		return nil, fault.New(fault.Invalid, "", "", "sessionStatePath is %q, want an absolute path", p.SessionStatePath)
	case c.home().Sessions.KeptHere():
		return nil, &fault.Error{Kind: fault.Conflict, Err: errOpen}
	}
	storage := clientfs.New(clientfs.Options{
		Call: peer{c}.Call, Connection: c.ctx, StatePath: p.SessionStatePath, Cwd: p.InitialCwd, Windows: windows,
		SQLite: p.Capabilities != nil && p.Capabilities.Sqlite != nil && *p.Capabilities.Sqlite,
	})
	if !c.storage.CompareAndSwap(nil, storage) {
		return nil, &fault.Error{Kind: fault.Conflict, Err: errAgain}
	}
	return wire.Success{Success: true}, nil
}

// remove deletes a session, where the client keeps it or here.
func (c *conn) remove(ctx context.Context, id string) error {
	if from := c.storage.Load(); from != nil {
		return c.home().Sessions.DeleteKept(ctx, id, from)
	}
	return c.home().Sessions.Delete(ctx, id)
}

// list lists the sessions on this machine and, if the client keeps sessions, those that are known
// of them, the most recently changed first.
func (c *conn) list(ctx context.Context, filter wire.SessionContext) ([]wire.SessionMetadata, error) {
	list, err := c.home().Sessions.List(ctx, filter)
	from := c.storage.Load()
	if from == nil || err != nil {
		return list, err
	}
	kept, err := c.home().Sessions.KeptBy(from).List(ctx, filter)
	list = append(kept, list...)
	slices.SortStableFunc(list, func(a, b wire.SessionMetadata) int { return strings.Compare(b.ModifiedTime, a.ModifiedTime) })
	return list, err
}

// describe returns what is known about a session, nil if there is none of that id.
func (c *conn) describe(ctx context.Context, id string) (m *wire.SessionMetadata, err error) {
	if from := c.storage.Load(); from != nil {
		m, err = c.home().Sessions.KeptBy(from).Metadata(ctx, id)
	}
	if m != nil || err != nil {
		return m, err
	}
	return c.home().Sessions.Metadata(ctx, id)
}

// lastID returns the id of the session that was changed last, "" if there is none.
func (c *conn) lastID(ctx context.Context) (string, error) {
	if c.storage.Load() == nil {
		return c.home().Sessions.LastID(ctx)
	}
	list, err := c.list(ctx, wire.SessionContext{})
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].SessionID, nil
}
