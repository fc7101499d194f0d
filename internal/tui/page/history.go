package page

import (
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Input is something that the user has typed.
type Input struct {
	Text string
	At   time.Time // zero if it is not known
}

// History lets the user choose earlier input, the newest first. The ID of an entry is its index in
// inputs.
func History(keys *keymap.Table, inputs []Input, now time.Time) *list.List {
	l := list.New(list.Config{
		Title: "Earlier input in this folder", Enter: "put into the box", Keys: keys,
		Path:    []keymap.Focus{keymap.History, keymap.List, keymap.Global},
		Empty:   "Nothing has been typed in this folder yet.",
		Columns: []list.Column{{Right: true, Dim: true}},
		Preview: func(id string, width int) []row.Row {
			i, err := strconv.Atoi(id)
			if err != nil || i < 0 || i >= len(inputs) {
				return nil
			}
			return paragraphs(inputs[i].Text, row.Plain, width)
		},
		Actions: []list.Action{{Name: keymap.ListDelete, Text: "forget", Twice: true}},
	})
	items := make([]list.Item, len(inputs))
	for i, in := range inputs {
		items[i] = list.Item{ID: strconv.Itoa(i), Title: line(in.Text), Columns: []string{timeline.Age(in.At, now)}, Search: in.Text}
	}
	l.Set(items)
	return l
}
