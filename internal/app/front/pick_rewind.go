package front

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// rewinder is the list of messages to which a session can be rewound.
type rewinder struct {
	operate.Desk
	keys     *keymap.Table
	words    func(error) string
	turns    []operate.Turn
	list     *list.List
	beside   tui.Beside
	previews map[int]page.Preview
	reading  map[int]bool
}

// noTracking says what a rewind cannot do in a session that does not keep files.
const noTracking = "This session does not keep what files were, so a rewind restores the conversation only."

func newRewinder(s operate.Desk, keys *keymap.Table, words func(error) string) *rewinder {
	return &rewinder{Desk: s, keys: keys, words: words, previews: map[int]page.Preview{}, reading: map[int]bool{}}
}

// choose lets the user go back to an earlier message: to the one with a number, or to one of a list.
func (r *rewinder) choose(ctx context.Context, arg string) (tui.Effect, error) {
	turns, tracking, err := r.Turns(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if len(turns) == 0 {
		return tui.Effect{}, errors.New("there is no message to go back to")
	}
	r.turns = turns
	if arg != "" {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > len(turns) {
			return tui.Effect{}, fmt.Errorf("there is no message %s; they are numbered from 1 to %d", timeline.OneLine(arg, 20), len(turns))
		}
		return tui.Effect{Pick: r.choices(ctx, n)}, nil
	}
	var entries []page.Turn
	for _, t := range turns {
		entries = append(entries, shown(t))
	}
	note := ""
	if !tracking {
		note = noTracking
	}
	r.list = page.Rewind(r.keys, entries, note, r.preview, time.Now())
	return tui.Effect{Pick: &tui.Picker{List: r.list, Open: func(b tui.Beside) { r.beside = b }, Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		n, err := strconv.Atoi(o.Item.ID)
		if err != nil || o.Action != keymap.ListChoose {
			return tui.Effect{}, err
		}
		return tui.Effect{Close: true, Pick: r.choices(ctx, n)}, nil
	}}}, nil
}

// last lets the user go back to before the last message.
func (r *rewinder) last(ctx context.Context) (tui.Effect, error) {
	turns, _, err := r.Turns(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if len(turns) == 0 {
		return tui.Effect{}, errors.New("there is no message to undo")
	}
	return r.choose(ctx, strconv.Itoa(len(turns)))
}

func shown(t operate.Turn) page.Turn {
	return page.Turn{Number: t.Number, Text: t.Text, At: t.At, Files: t.Files, Restorable: t.Restorable, Added: int(t.Added), Removed: int(t.Removed)}
}

// preview is what a rewind to a message does to the files, which is found out when it is first asked for.
func (r *rewinder) preview(n int) (page.Preview, bool) {
	v, ok := r.previews[n]
	if ok || r.reading[n] {
		return v, ok
	}
	r.reading[n] = true
	r.beside(func(ctx context.Context) func() {
		v := r.look(ctx, n)
		return func() {
			r.previews[n] = v
			r.list.Refresh()
		}
	})
	return v, false
}

func (r *rewinder) look(ctx context.Context, n int) (v page.Preview) {
	files, err := r.Preview(ctx, r.turns[n-1])
	if err != nil {
		return page.Preview{Err: r.words(err)}
	}
	for _, file := range files {
		v.Files = append(v.Files, page.Restored{Path: file.Path, Change: file.Change, Added: int(file.Added), Removed: int(file.Removed), Kept: file.Kept})
	}
	c, err := r.CommandsSince(ctx, r.turns[n-1].EventID)
	if err != nil {
		return page.Preview{Err: r.words(err)}
	}
	v.Commands = named(c, "since then")
	return v
}

// named says what commands may have changed.
func named(c operate.Commands, since string) page.Commands {
	return page.Commands{Note: c.String(since), Texts: c.Texts, More: c.More()}
}

// choices asks what is to be rewound. It reads the files anew: they may have changed since the preview of
// the list, and this is what the user decides about.
func (r *rewinder) choices(ctx context.Context, n int) *tui.Picker {
	t := r.turns[n-1]
	return &tui.Picker{List: page.RewindChoices(r.keys, shown(t), r.look(ctx, n)), Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		if o.Action != keymap.ListChoose || o.Item.ID != page.RewindBoth && o.Item.ID != page.RewindConversation {
			return tui.Effect{Close: true}, nil
		}
		done, err := r.Rewind(ctx, t, o.Item.ID == page.RewindBoth)
		if err != nil {
			return tui.Effect{}, err
		}
		return tui.Effect{Close: true, Text: rewound(n, done), Draft: t.Text}, nil
	}}
}

// rewound says what a rewind has done.
func rewound(n int, done operate.Rewound) string {
	text := []string{"rewound to before message " + strconv.Itoa(n)}
	if k := len(done.Restored); k > 0 {
		text = append(text, "restored: "+timeline.Plural(k, "file"))
	}
	for _, k := range done.Kept {
		text = append(text, "left as it is: "+timeline.OneLine(k.Path, 200)+": "+k.Why)
	}
	return strings.Join(text, "\n")
}
