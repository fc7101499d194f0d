package page

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// lineWidth bounds a text that is made one line, in columns. The list cuts it to what fits.
const lineWidth = 300

// line is a text as one harmless line.
func line(text string) string { return timeline.OneLine(text, lineWidth) }

// exposed are the rows of a text that the user decides about, line by line.
func exposed(text string, style row.Style, width int) (rows []row.Row) {
	for l := range strings.Lines(timeline.Exposed(text)) {
		rows = append(rows, row.Of(row.Expand(strings.TrimRight(l, "\n")), style).Wrap(width, row.Text("  "))...)
	}
	return rows
}

// paragraphs are the rows of a text, wrapped between words.
func paragraphs(text string, style row.Style, width int) (rows []row.Row) {
	for l := range strings.Lines(timeline.Harmless(text)) {
		rows = append(rows, row.Of(row.Expand(strings.TrimRight(l, "\n")), style).Wrap(width, nil)...)
	}
	return rows
}

// facts are rows of names and values, without those that have none.
func facts(width int, pairs ...string) (rows []row.Row) {
	column := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			column = max(column, row.Width(pairs[i])+2)
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		r := row.Of(pairs[i], row.Dim).Pad(column).And(timeline.ExposedLine(pairs[i+1], 10*lineWidth), row.Plain)
		rows = append(rows, r.Wrap(width, row.Text(strings.Repeat(" ", column)))...)
	}
	return rows
}

// count is a number with its noun.
func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return timeline.Count(int64(n)) + " " + several
}

// changed is "+3 −1", "" for no change.
func changed(added, removed int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, "+"+timeline.Count(int64(added)))
	}
	if removed > 0 {
		parts = append(parts, "−"+timeline.Count(int64(removed)))
	}
	return strings.Join(parts, " ")
}

// find is the item of a slice with an ID, the zero value if there is none.
func find[T any](all []T, id string, idOf func(T) string) (T, bool) {
	for _, x := range all {
		if idOf(x) == id {
			return x, true
		}
	}
	var none T
	return none, false
}

// Whole shows the preview of an entry in the pager, for ListWhole.
func Whole(l *list.List, it list.Item) *pager.Pager {
	return pager.New(it.Title, whole{l, it.ID}, l.Keys)
}

// whole is a preview as the source of the pager: one item.
type whole struct {
	l  *list.List
	id string
}

// Len implements [pager.Source].
func (whole) Len() int { return 1 }

// Mark implements [pager.Source].
func (whole) Mark(int) bool { return false }

// Rows implements [pager.Source].
func (w whole) Rows(_, width int) []row.Row { return w.l.Preview(w.id, width) }

// Choice is one of a few things to choose from.
type Choice struct {
	ID, Title, About string
	Current          bool
}

// Choices lets the user choose one of a few things, such as a mode.
func Choices(keys *keymap.Table, title string, choices []Choice) *list.List {
	l := list.New(list.Config{Title: title, Keys: keys, Columns: []list.Column{{Dim: true}}})
	items := make([]list.Item, len(choices))
	for i, c := range choices {
		items[i] = list.Item{ID: c.ID, Title: line(c.Title), Columns: []string{line(c.About)}, Mark: mark(c.Current)}
	}
	l.Set(items)
	for _, c := range choices {
		if c.Current {
			l.Choose(c.ID)
		}
	}
	return l
}

// mark is before an entry that is in use.
func mark(current bool) string {
	if current {
		return "✓"
	}
	return ""
}
