package listing

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Stored returns every session that has a log, also those without a message, the most
// recently changed first.
func (l *Lists) Stored(ctx context.Context) ([]eventlog.Info, error) {
	infos, err := l.opts.Store.Sessions(ctx)
	slices.SortFunc(infos, func(a, b eventlog.Info) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(a.ID, b.ID))
	})
	return infos, err
}

// Named returns the name of a session and whether the user has chosen it; "" for none.
func (l *Lists) Named(id string) (name string, byUser bool) { return l.opts.Named(id) }

// ByPrefix returns the only session whose id begins with prefix, "" if there is none, or
// more than one. An id that is equal to prefix is always found.
func (l *Lists) ByPrefix(ctx context.Context, prefix string) (string, error) {
	infos, err := l.opts.Store.Sessions(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, info := range infos {
		switch {
		case info.ID == prefix:
			return prefix, nil
		case !strings.HasPrefix(info.ID, prefix):
		case found != "":
			return "", nil
		default:
			found = info.ID
		}
	}
	return found, nil
}

// LastFor returns the id of the session with a message that is nearest to a context: one in
// the same folder, else in the same repository and branch, else in the same repository, else
// any. Among equals it is the most recently changed one. It is "" if there are no sessions.
func (l *Lists) LastFor(ctx context.Context, at wire.SessionContext) (string, error) {
	list, err := l.List(ctx, wire.SessionContext{})
	best, most := "", -1
	for _, m := range list {
		if n := nearness(at, m.Context); n > most {
			best, most = m.SessionID, n
		}
	}
	return best, err
}

func nearness(at wire.SessionContext, of *wire.SessionContext) int {
	same := func(a, b string) bool { return a != "" && a == b }
	switch {
	case of == nil:
		return 0
	case same(at.Cwd, of.Cwd):
		return 3
	case same(at.GitRoot, of.GitRoot), same(at.Repository, of.Repository):
		if same(at.Branch, of.Branch) {
			return 2
		}
		return 1
	}
	return 0
}

// UsedElsewhere names another process that has a session open; "" if there is none, if the
// system cannot tell, or if the session does not exist.
func (l *Lists) UsedElsewhere(ctx context.Context, id string) (string, error) {
	owner, _, err := l.opts.Store.Others(ctx, id)
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Invalid) {
		return "", nil
	}
	if owner == eventlog.ThisProcess() {
		owner = ""
	}
	return owner, err
}
