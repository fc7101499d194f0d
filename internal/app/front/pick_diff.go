package front

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// diffModes are what /diff compares with, in the order of the key that changes it.
var diffModes = []string{"", "unstaged", "branch"}

// diff shows the changes of files.
func (f *embedded) diff(ctx context.Context, mode string) (tui.Effect, error) {
	return f.review(ctx, mode, func(ctx context.Context, mode string) (operate.Diff, error) {
		return operate.Changes(ctx, f.client.Session(), mode)
	})
}

// review shows the changes that read returns.
func (k desk) review(ctx context.Context, mode string, read func(ctx context.Context, mode string) (operate.Diff, error)) (tui.Effect, error) {
	d, err := read(ctx, mode)
	if err != nil {
		return tui.Effect{}, err
	}
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
			e, err := k.review(ctx, next(diffModes, mode), read)
			e.Close = err == nil
			return e, err
		}
		return tui.Effect{}, nil
	}}}, nil
}

// next is what follows a value in a list; the first follows the last, and what is not in it.
func next(list []string, value string) string {
	for i, v := range list {
		if v == value {
			return list[(i+1)%len(list)]
		}
	}
	return list[0]
}
