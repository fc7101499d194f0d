package session

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// headEvents and headBytes bound what of a log is read to describe its session.
// The first message stands at the very beginning of all logs we know.
const (
	headEvents = 16
	headBytes  = 256 << 10
)

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
	var h history
	left := headBytes
	for rec, err := range r.opts.Store.Scan(info.ID) {
		if err != nil {
			return m, false, err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			h.apply(rec.Seq, e)
		}
		if left -= len(rec.JSON); left < 0 || rec.Seq == headEvents {
			break
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

// History yields the persisted events of a session that need not be in memory,
// oldest first; nothing is written. An error is the last pair yielded:
// [fault.NotFound] if there is no such session.
func (r *Registry) History(id string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for rec, err := range r.opts.Store.Scan(id) {
			if fault.KindOf(err) == fault.NotFound && err != nil {
				err = NotFound(id)
			}
			if !yield(rec.JSON, err) {
				return
			}
		}
	}
}
