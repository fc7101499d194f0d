package list

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Rows shows the list: height rows. At least the filter, one entry and the footer are shown.
func (l *List) Rows(width, height int) []row.Row {
	width, height = max(width, 10), max(height, 4)
	rows := l.head(width)
	if l.About != "" {
		rows = append(append(rows[:len(rows)-1], row.Of(l.About, row.Dim).Wrap(width, nil)...), nil)
	}
	for _, p := range l.Problems {
		rows = append(rows, row.Of(p, row.Failure).Wrap(width, nil)...)
	}
	if room := height - 2; len(rows) > room { // an entry and the footer
		rows = rows[:room]
	}
	s := l.layoutOf(width, height, len(rows))
	l.room = s.body
	body := l.body(s)
	if s.beside {
		body = beside(body, l.previewed(s), s)
	}
	rows = append(rows, body...)
	if s.preview > 0 && !s.beside {
		rows = append(rows, row.Of(strings.Repeat("─", width), row.Dim))
		rows = append(rows, l.previewed(s)...)
	}
	for len(rows) < height-1 {
		rows = append(rows, nil)
	}
	return append(rows[:height-1], l.footer(width, s.preview > 0))
}

// head is the title and the filter.
func (l *List) head(width int) []row.Row {
	title := row.Of(l.Title, row.Bold)
	if l.View != "" {
		title = title.And("  "+l.View, row.Dim)
	}
	if n := len(l.items); n > 0 {
		count := fmt.Sprintf("  %d", n)
		if l.filter.Text() != "" {
			count = fmt.Sprintf("  %d of %d", l.fits(), n)
		}
		title = title.And(count, row.Dim)
	}
	if l.Loading != "" {
		title = title.And("  "+l.Loading, row.Dim)
	}
	text, _ := l.filter.Row(width-3, row.Plain)
	filter := row.Of(prompt, row.Accent).Join(text)
	if l.filter.Text() == "" {
		filter = filter.And("type to filter", row.Dim)
	}
	return []row.Row{title.Cut(width), filter.Cut(width), nil}
}

// prompt is before the filter.
const prompt = "› "

// fits is how many items fit the filter.
func (l *List) fits() (n int) {
	for _, e := range l.shown {
		if e.item >= 0 {
			n++
		}
	}
	return n
}

// Cursor is where the caret is: a row of [List.Rows] of that size and a column.
func (l *List) Cursor(width, height int) (r, column int) {
	if l.asking != nil {
		_, column = l.answer.Row(l.answerRoom(width), row.Plain)
		return max(height, 4) - 1, min(row.Width(l.asking.Ask)+2+column, max(width, 10)-1)
	}
	_, column = l.filter.Row(width-3, row.Plain)
	return 1, row.Width(prompt) + column
}

// body is the entries around the chosen one, or what is said without any.
func (l *List) body(s layout) (rows []row.Row) {
	if len(l.shown) == 0 {
		return row.Of(l.nothing(), row.Dim).Wrap(s.list, nil)
	}
	l.first = max(min(l.first, l.chosen), 0)
	if l.first > 0 && l.first == l.chosen && l.shown[l.first-1].item < 0 {
		l.first-- // with its heading
	}
	columns := l.columns(s.list)
	made := map[int][]row.Row{}
	at := func(i int) []row.Row {
		if made[i] == nil {
			made[i] = l.entry(i, s.list, columns)
		}
		return made[i]
	}
	used := 0
	for i := l.chosen; i >= l.first && i >= 0; i-- { // the chosen one is seen
		if used += len(at(i)); used > s.body {
			l.first = min(i+1, l.chosen)
			break
		}
	}
	used = 0
	for i := len(l.shown) - 1; i >= 0; i-- { // no emptiness below the last one
		if used += len(at(i)); used > s.body {
			break
		}
		l.first = min(l.first, i)
	}
	for i := l.first; i < len(l.shown) && len(rows) < s.body; i++ {
		rows = append(rows, at(i)...)
	}
	return rows[:min(len(rows), s.body)]
}

// nothing is what is said if no entry is shown.
func (l *List) nothing() string {
	switch {
	case len(l.items) > 0:
		return "Nothing fits. " + l.Keys.Key(keymap.ListClose) + " clears the filter."
	case l.Loading != "":
		return ""
	case len(l.Problems) > 0:
		return ""
	}
	return l.Empty
}

// entry is the rows of an entry: one, unless it says something that needs more.
func (l *List) entry(i, width int, columns []int) []row.Row {
	e := l.shown[i]
	if e.item < 0 {
		return []row.Row{row.Of(e.heading, row.Bold|row.Dim).Cut(width)}
	}
	it := &l.items[e.item]
	if it.Fixed {
		return row.Of("  "+it.Title, it.Style).Wrap(width, row.Text("  "))
	}
	return []row.Row{l.item(i, width, columns)}
}

// item is the row of an entry that can be chosen.
func (l *List) item(i, width int, columns []int) row.Row {
	e := l.shown[i]
	it := &l.items[e.item]
	style, lead := it.Style, row.Text("  ")
	if i == l.chosen {
		style, lead = style|row.Bold, row.Of("› ", row.Accent)
		if style == row.Bold {
			style |= row.Accent
		}
		if l.armsEntry() {
			style = row.Failure | row.Bold
		}
	}
	if it.Mark != "" {
		lead = lead.And(it.Mark+" ", row.Success)
	}
	room := width
	for _, w := range columns {
		room -= w + 2
	}
	if len(it.Columns) == 0 {
		return lead.Join(underlined(it.Title, found(l.words(), it.Title), style)).Cut(width)
	}
	room = min(room, l.longest)
	r := lead.Join(underlined(it.Title, found(l.words(), it.Title), style)).Cut(room).Pad(room)
	for c, w := range columns {
		r = r.And("  ", row.Plain).Join(l.column(it, c, w))
	}
	return r
}

// armsEntry reports whether the next press of a key does something with the chosen entry.
func (l *List) armsEntry() bool {
	return slices.ContainsFunc(l.Actions, func(a Action) bool { return a.Name == l.armed && !a.All })
}

// column is the detail of an item in column c.
func (l *List) column(it *Item, c, width int) row.Row {
	var how Column
	if c < len(l.Columns) {
		how = l.Columns[c]
	}
	style := row.Plain
	if how.Dim {
		style = row.Dim
	}
	text := ""
	if c < len(it.Columns) {
		text = it.Columns[c]
	}
	if how.Front {
		text = end(text, width)
	}
	r := row.Of(text, style).Cut(width)
	if how.Right {
		return row.Text(strings.Repeat(" ", width-r.Width())).Join(r)
	}
	return r.Pad(width)
}

// end is the end of a text that is wider than n columns.
func end(text string, n int) string {
	over := row.Width(text) - n
	if over <= 0 {
		return text
	}
	for g, w := range row.Graphemes(text) {
		if over < 0 {
			break
		}
		over -= w
		text = text[len(g):]
	}
	return "…" + text
}

// underlined is a title with the characters at some bytes underlined.
func underlined(title string, at []int, style row.Style) (r row.Row) {
	from := 0
	for from < len(title) {
		to := len(title)
		is := len(at) > 0 && at[0] <= from
		switch {
		case is:
			to = from + 1
			for to < len(title) && title[to]&0xc0 == 0x80 {
				to++
			}
			for len(at) > 0 && at[0] < to {
				at = at[1:]
			}
		case len(at) > 0:
			to = min(at[0], len(title))
		}
		s := style
		if is {
			s |= row.Underline
		}
		r = r.And(title[from:to], s)
		from = to
	}
	return r
}

// beside puts the preview to the right of the entries.
func beside(left, right []row.Row, s layout) (rows []row.Row) {
	for i := range s.body {
		var l, r row.Row
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		rows = append(rows, l.Pad(s.list).And(" │ ", row.Dim).Join(r))
	}
	return rows
}

// previewed is the part of the preview that is seen.
func (l *List) previewed(s layout) []row.Row {
	it, ok := l.Chosen()
	if !ok {
		return nil
	}
	if p := &l.preview; p.rows == nil || p.id != it.ID || p.width != s.preview {
		*p = previewed{it.ID, s.preview, l.Preview(it.ID, s.preview)}
	}
	rows := l.preview.rows
	l.scroll = max(min(l.scroll, len(rows)-s.previewRows), 0)
	var out []row.Row
	for _, r := range rows[l.scroll:min(l.scroll+s.previewRows, len(rows))] {
		out = append(out, r.Cut(s.preview))
	}
	return out
}

// footer is the last row: what a key needs, or which keys there are. seen says that the preview is
// shown.
func (l *List) footer(width int, seen bool) row.Row {
	it, ok := l.Chosen()
	if l.asking != nil {
		text, _ := l.answer.Row(l.answerRoom(width), row.Plain)
		return row.Of(l.asking.Ask+": ", row.Accent).Join(text).Cut(width)
	}
	for _, a := range l.Actions {
		if a.Name == l.armed {
			return row.Of(l.again(&a, it.Title), row.Failure|row.Bold).Cut(width)
		}
	}
	var hints []keymap.Hint
	if ok {
		hints = append(hints, keymap.Hint{Text: cmp.Or(it.Enter, l.Enter, "choose"), Actions: []string{keymap.ListChoose}})
	}
	hints = append(hints, keymap.Hint{Text: "close", Actions: []string{keymap.ListClose}})
	whole := keymap.Hint{Text: "details", Actions: []string{keymap.ListWhole}}
	if ok && l.Preview != nil && !seen {
		hints = append(hints, whole)
	}
	for _, a := range l.Actions {
		if ok || a.All {
			hints = append(hints, keymap.Hint{Text: a.Text, Actions: []string{a.Name}})
		}
	}
	if seen {
		hints = append(hints, whole)
	}
	return l.Keys.Footer(l.Note, width, hints...)
}

// again is what the second press of a key does.
func (l *List) again(a *Action, title string) string {
	text := l.Keys.Key(a.Name) + " again: " + a.Text
	if a.All {
		return text
	}
	return text + " " + title
}

// answerRoom is how many columns there are for a text that the user types.
func (l *List) answerRoom(width int) int { return max(width, 10) - row.Width(l.asking.Ask) - 3 }
