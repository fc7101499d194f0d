package page

import (
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Waiting is a message or a command that is queued.
type Waiting struct {
	ID, Text    string
	Command     bool // a slash command
	Attachments int
}

// Queue shows what is queued. The caller does ListChoose, which takes an item back into the input
// box, ListSend, ListMoveUp, ListMoveDown, and ListDelete, which drops it.
func Queue(keys *keymap.Table) *list.List {
	return list.New(list.Config{
		Title: "Queued messages", Enter: "edit", Keys: keys,
		Empty:   "Nothing is queued. A message that is sent while the agent works is queued.",
		Columns: []list.Column{{Dim: true}},
		Actions: []list.Action{
			{Name: keymap.ListSend, Text: "send now"},
			{Name: keymap.ListDelete, Text: "drop", Twice: true},
			{Name: keymap.ListMoveUp, Text: "up"},
			{Name: keymap.ListMoveDown, Text: "down"},
		},
	})
}

// SetQueue makes entries of items, the next one first, and of texts that are sent with the next
// model call. held says that the items wait for the user.
func SetQueue(l *list.List, items []Waiting, steering []string, held bool) {
	var entries []list.Item
	for i, text := range steering {
		entries = append(entries, list.Item{ID: "steering " + strconv.Itoa(i), Title: line(text), Group: "Sent with the next model call", Fixed: true, Style: row.Dim})
	}
	group := "After this run"
	if held {
		group = "Held until something is sent"
	}
	for _, w := range items {
		it := list.Item{ID: w.ID, Title: line(w.Text), Group: group, Search: w.Text, Columns: []string{""}}
		switch {
		case w.Command:
			it.Columns[0] = "command"
		case w.Attachments > 0:
			it.Columns[0] = count(w.Attachments, "attachment", "attachments")
		}
		entries = append(entries, it)
	}
	l.Preview = func(id string, width int) []row.Row {
		w, _ := find(items, id, func(w Waiting) string { return w.ID })
		return paragraphs(w.Text, row.Plain, width)
	}
	l.Set(entries)
}
