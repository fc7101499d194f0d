package page

import (
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// History lets the user choose earlier input, the newest first. The ID of an entry is its index in
// inputs.
func History(keys *keymap.Table, inputs []string) *list.List {
	l := list.New(list.Config{
		Title: "Earlier input in this folder", Enter: "put into the box", Keys: keys,
		Path:  []keymap.Focus{keymap.History, keymap.List, keymap.Global},
		Empty: "Nothing has been typed in this folder yet.",
		Preview: func(id string, width int) []row.Row {
			i, err := strconv.Atoi(id)
			if err != nil || i < 0 || i >= len(inputs) {
				return nil
			}
			return paragraphs(inputs[i], row.Plain, width)
		},
	})
	items := make([]list.Item, len(inputs))
	for i, in := range inputs {
		items[i] = list.Item{ID: strconv.Itoa(i), Title: line(in), Search: in}
	}
	l.Set(items)
	return l
}
