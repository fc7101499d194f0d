package front

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// diffModes are what /diff compares with, in the order of the key that changes it.
var diffModes = []string{"session", "unstaged", "branch"}

// review shows the changes that read returns.
func (k desk) review(ctx context.Context, mode string, read func(ctx context.Context, mode string) (operate.Diff, error)) (tui.Effect, error) {
	d, err := read(ctx, mode)
	if err != nil {
		return tui.Effect{}, err
	}
	return k.changes(d, read), nil
}

// changes shows changes. A key shows those of the next mode, which read returns.
func (k desk) changes(d operate.Diff, read func(ctx context.Context, mode string) (operate.Diff, error)) tui.Effect {
	var changes []page.Change
	for _, c := range d.Files {
		p := page.Change{Path: c.Path, Kind: c.Kind, Diff: c.Diff}
		if c.Left {
			p.Left = "it is long, or no text"
		}
		changes = append(changes, p)
	}
	r := page.NewReview(d.Of, changes, named(d.Commands, "in this session"))
	return tui.Effect{Pick: &tui.Picker{List: r.List(k.keys), Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		switch o.Action {
		case keymap.ListChoose, keymap.ListWhole:
			return tui.Effect{Read: r.Pager(k.keys, o.Item.ID)}, nil
		case keymap.ListView:
			other, err := nextDiff(ctx, d.Mode, read)
			if err != nil {
				return tui.Effect{}, err
			}
			e := k.changes(other, read)
			e.Close = true
			return e, nil
		}
		return tui.Effect{}, nil
	}}}
}

// nextDiff returns the changes of the mode that follows one. It leaves out modes that are not possible,
// for which the changes of another mode are returned.
func nextDiff(ctx context.Context, mode string, read func(ctx context.Context, mode string) (operate.Diff, error)) (operate.Diff, error) {
	at := slices.Index(diffModes, mode)
	for i := 1; i < len(diffModes); i++ {
		wanted := diffModes[(at+i)%len(diffModes)]
		if d, err := read(ctx, wanted); err != nil || d.Mode == wanted {
			return d, err
		}
	}
	return operate.Diff{}, errors.New("there is nothing else to compare the files with")
}
