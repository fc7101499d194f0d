package session

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// headEvents is how many events of a log are read to describe its session. The
// first message stands at the very beginning of all logs we know.
const headEvents = 16

// List describes the sessions that somebody has said something in, the one
// changed last first. filter selects by the fields that are set.
func (r *Registry) List(filter wire.SessionContext) ([]wire.SessionMetadata, error) {
	infos, err := r.opts.Store.Sessions()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(infos, func(a, b eventlog.Info) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	list := []wire.SessionMetadata{}
	for _, info := range infos {
		m, said, err := r.describe(info)
		if err != nil {
			r.opts.Logger.Warn("a session cannot be described", "session", info.ID, "err", err)
			continue
		}
		if said && matches(filter, m.Context) {
			list = append(list, m)
		}
	}
	return list, nil
}

// Metadata describes one session; nil if there is no such session.
func (r *Registry) Metadata(id string) (*wire.SessionMetadata, error) {
	infos, err := r.opts.Store.Sessions()
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if info.ID == id {
			m, _, err := r.describe(info)
			return &m, err
		}
	}
	return nil, nil
}

// describe folds the first events of a log; said reports whether there was a
// message among them.
func (r *Registry) describe(info eventlog.Info) (m wire.SessionMetadata, said bool, err error) {
	lines, err := r.opts.Store.Head(info.ID, headEvents)
	if err != nil {
		return m, false, err
	}
	var h history
	for _, line := range lines {
		if e, err := wire.ParseEvent(line); err == nil {
			h.apply(e)
		}
	}
	m = wire.SessionMetadata{
		SessionID: info.ID, StartTime: wire.FormatTime(h.started), ModifiedTime: wire.FormatTime(info.Modified), Summary: h.title,
	}
	if h.cwd != "" {
		m.Context = &wire.SessionContext{Cwd: h.cwd, GitRoot: h.gitRoot, Repository: h.repository, Branch: h.branch}
	}
	return m, len(h.entries) > 0, nil
}

func matches(want wire.SessionContext, got *wire.SessionContext) bool {
	if got == nil {
		got = &wire.SessionContext{}
	}
	return (want.Cwd == "" || want.Cwd == got.Cwd) && (want.GitRoot == "" || want.GitRoot == got.GitRoot) &&
		(want.Repository == "" || want.Repository == got.Repository) && (want.Branch == "" || want.Branch == got.Branch)
}

// LastID is the id of the session changed last, "" if there is none.
func (r *Registry) LastID() (string, error) {
	list, err := r.List(wire.SessionContext{})
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].SessionID, nil
}

// History returns the persisted events of a session that need not be in memory.
// [fault.NotFound] if there is none.
func (r *Registry) History(id string) ([]json.RawMessage, error) {
	lines, err := r.opts.Store.Head(id, 1<<30)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return nil, fault.New(fault.NotFound, "session", id, "no such session")
		}
		return nil, err
	}
	out := make([]json.RawMessage, len(lines))
	for i, l := range lines {
		out[i] = l
	}
	return out, nil
}
