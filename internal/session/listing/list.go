package listing

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Listed is a session in a list, with the size of its log.
type Listed struct {
	wire.SessionMetadata
	Bytes int64 `json:"eventsFileSizeBytes"`
	// Short is the id as users see it; see [Shortener].
	Short string `json:"-"`
}

// List returns the sessions that have a message, the most recently changed first. The fields
// that are set in filter must match.
func (l *Lists) List(ctx context.Context, filter wire.SessionContext) ([]wire.SessionMetadata, error) {
	page, err := l.page(ctx, catalog.Query{
		Cwd: filter.Cwd, GitRoot: filter.GitRoot, Repository: filter.Repository, Branch: filter.Branch,
	})
	list := make([]wire.SessionMetadata, len(page.Rows))
	for i, row := range page.Rows {
		list[i] = metadata(row)
	}
	return list, err
}

// Newest returns the first limit sessions of [Lists.List], all if limit is 0, and the number
// of the others.
func (l *Lists) Newest(ctx context.Context, limit int) (list []Listed, more int, err error) {
	page, err := l.page(ctx, catalog.Query{Limit: limit})
	short := l.Shortener(ctx)
	for _, row := range page.Rows {
		list = append(list, Listed{metadata(row), row.Size, short(row.ID)})
	}
	return list, page.More, err
}

// LastID returns the id of the most recently changed session, "" if there is none.
func (l *Lists) LastID(ctx context.Context) (string, error) {
	list, _, err := l.Newest(ctx, 1)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].SessionID, nil
}

// Metadata describes one session, even if it has no messages; nil if it does not exist.
func (l *Lists) Metadata(ctx context.Context, id string) (*wire.SessionMetadata, error) {
	if l.catalog != nil {
		row, found, err := l.catalog.Get(ctx, id)
		if found && err == nil && l.exists(ctx, id) {
			m := metadata(row)
			return &m, nil
		}
	}
	return l.readMetadata(ctx, id)
}

// exists reports whether a session has a log: another process may have removed it.
func (l *Lists) exists(ctx context.Context, id string) bool {
	for _, err := range l.opts.Store.Scan(ctx, id) {
		return err == nil
	}
	return true // an empty one
}

// page queries the catalogue. If there is none, or it cannot be used, page reads the logs.
func (l *Lists) page(ctx context.Context, q catalog.Query) (catalog.Page, error) {
	if l.catalog != nil {
		page, err := l.catalog.List(ctx, q)
		if err == nil || ctx.Err() != nil {
			return page, err
		}
	}
	return l.readPage(ctx, q)
}

// readPage reads the head of every log.
func (l *Lists) readPage(ctx context.Context, q catalog.Query) (page catalog.Page, err error) {
	stamps, err := l.stamps(ctx)
	if err != nil {
		return page, err
	}
	for _, log := range stamps {
		row, err := l.describe(ctx, log)
		if err != nil {
			l.opts.Logger.Warn("a session cannot be described", "session", log.ID, "err", err)
			continue
		}
		if row.Listed && matches(q, row) {
			page.Rows = append(page.Rows, row)
		}
		if ctx.Err() != nil {
			return page, ctx.Err()
		}
	}
	slices.SortFunc(page.Rows, func(a, b catalog.Row) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	if n := len(page.Rows); q.Limit > 0 && q.Limit < n {
		page.Rows, page.More = page.Rows[:q.Limit], n-q.Limit
	}
	return page, nil
}

func matches(q catalog.Query, row catalog.Row) bool {
	return (q.Cwd == "" || q.Cwd == row.Cwd) && (q.GitRoot == "" || q.GitRoot == row.GitRoot) &&
		(q.Repository == "" || q.Repository == row.Repository) && (q.Branch == "" || q.Branch == row.Branch)
}

// readMetadata reads the head of one log. Only if the log exists does it look for its size
// and time, which takes longer the more sessions there are.
func (l *Lists) readMetadata(ctx context.Context, id string) (*wire.SessionMetadata, error) {
	row, err := l.describe(ctx, catalog.Stamp{ID: id})
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Invalid) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stamps, err := l.stamps(ctx)
	if i := slices.IndexFunc(stamps, func(s catalog.Stamp) bool { return s.ID == id }); i >= 0 {
		row.Modified = stamps[i].Modified
	}
	m := metadata(row)
	return &m, err
}

// metadata converts a row of the catalogue to the protocol's form.
func metadata(row catalog.Row) wire.SessionMetadata {
	m := wire.SessionMetadata{
		SessionID: row.ID, StartTime: wire.FormatTime(row.Started), ModifiedTime: wire.FormatTime(row.Modified), Summary: row.Title,
	}
	if row.Cwd != "" {
		m.Context = &wire.SessionContext{Cwd: row.Cwd, GitRoot: row.GitRoot, Repository: row.Repository, Branch: row.Branch}
	}
	return m
}

// History yields the persisted events of a session, oldest first. The session need not be in
// memory, and nothing is written. An error is the last pair yielded: [fault.NotFound] if the
// session does not exist.
func (l *Lists) History(ctx context.Context, id string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for rec, err := range eventlog.Scan(ctx, l.opts.Store, id) {
			if fault.KindOf(err) == fault.NotFound && err != nil {
				err = wire.SessionNotFound(id)
			}
			if !yield(rec.JSON, err) {
				return
			}
		}
	}
}

// Past is an event of a stored session.
type Past struct {
	JSON    json.RawMessage
	Removed bool // from the history, by a rewind
	Pos     uint64
}

// Past yields what History does, and says of each event whether it was removed from the history. It
// reads the log twice, or three times if something was removed.
func (l *Lists) Past(ctx context.Context, id string) iter.Seq2[Past, error] {
	return func(yield func(Past, error) bool) {
		records := func() iter.Seq2[eventlog.Record, error] { return eventlog.Scan(ctx, l.opts.Store, id) }
		cuts, _, err := state.ReadCuts("", records)
		if err == nil {
			for rec, err := range records() {
				if !yield(Past{rec.JSON, cuts.Hold(rec.Pos), rec.Pos}, err) || err != nil {
					return
				}
			}
			return
		}
		if fault.KindOf(err) == fault.NotFound {
			err = wire.SessionNotFound(id)
		}
		yield(Past{}, err)
	}
}
