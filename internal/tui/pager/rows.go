package pager

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Rows shows the pager: height rows, the last of which says where the user is. If the size has
// changed, the text at the top stays there.
func (p *Pager) Rows(width, height int) []row.Row {
	p.resize(max(width, 2), max(height, 2))
	if p.top.item >= p.source.Len() || p.top.row >= len(p.at(p.top.item).rows) { // the source has less than before
		p.settle()
	}
	rows := make([]row.Row, 0, p.height)
	at, ok := p.top, p.source.Len() > 0 && len(p.at(p.top.item).rows) > 0
	for range p.body() {
		if !ok {
			rows = append(rows, nil)
			continue
		}
		r := p.at(at.item).rows[at.row]
		if p.search.expr != nil {
			r = p.highlighted(at.item, at.row)
		}
		rows = append(rows, r)
		at, ok = p.next(at)
	}
	return append(rows, p.status(at, ok))
}

// Cursor is where the caret is: a row of [Pager.Rows] and a column. ok is false if the caret is
// hidden.
func (p *Pager) Cursor() (r, column int, ok bool) {
	if !p.asking {
		return 0, 0, false
	}
	_, column = p.field.Row(p.width-2, row.Plain)
	return p.height - 1, 1 + column, true
}

// status is the last row: where the user is, and keys. at is the place after the last row that is
// seen, if there is more.
func (p *Pager) status(at place, more bool) row.Row {
	if p.asking {
		text, _ := p.field.Row(p.width-2, row.Plain)
		return row.Of("/", row.Accent).Join(text).And(p.result("  "), row.Dim).Cut(p.width)
	}
	where := row.Of(p.position(at, more), row.Dim)
	switch {
	case p.note != "":
		where = where.And("  "+p.note, row.Warning)
	case p.search.expr != nil:
		where = where.And(p.result("  "), row.Warning)
	}
	left, hints := where, p.hints()
	first := p.keys.Footer(nil, p.width, hints[0]).String() // which a long title leaves room for
	title := row.Of(p.title, row.Bold)
	if room := p.width - row.Width(strings.TrimSpace(first)) - where.Width() - 4; len(title) > 0 && room >= leastTitle {
		left = title.Cut(room).And("  ", row.Plain).Join(where)
	}
	return p.keys.Footer(left, p.width, hints...)
}

// leastTitle is the fewest columns that the title of a text is worth.
const leastTitle = 4

// position is how much of the text is above the end of the screen.
func (p *Pager) position(at place, more bool) string {
	switch n := p.source.Len(); {
	case n == 0:
		return "empty"
	case !more && p.top == place{}:
		return "all"
	case !more:
		return "end"
	default:
		part := float64(at.row) / float64(max(len(p.at(at.item).rows), 1))
		return fmt.Sprintf("%d%%", int(100*(float64(at.item)+part)/float64(n)))
	}
}

// result is what the search has found.
func (p *Pager) result(before string) string {
	s := &p.search
	if s.expr == nil {
		return ""
	}
	total, above := 0, 0
	for i, n := range s.counts {
		total += max(int(n), 0)
		if i < s.at.item {
			above += max(int(n), 0)
		}
	}
	switch {
	case s.seek != 0:
		return before + "searching…"
	case s.todo > 0:
		return before + "counting…"
	case total == 0:
		return before + "no match for " + s.query
	case s.at.n < 0:
		return fmt.Sprintf("%s%d matches", before, total)
	}
	return fmt.Sprintf("%s%d of %d", before, above+s.at.n+1, total)
}

// hints are the keys that the status row shows.
func (p *Pager) hints() []keymap.Hint {
	hints := []keymap.Hint{{Text: "close", Actions: []string{keymap.PagerClose}}, {Text: "search", Actions: []string{keymap.PagerSearch}}}
	if p.search.expr != nil {
		hints = append(hints, keymap.Hint{Text: "matches", Actions: []string{keymap.PagerNext, keymap.PagerPrevious}})
	}
	if p.hasMarks() {
		hints = append(hints, keymap.Hint{Text: p.Marks, Actions: []string{keymap.PagerPreviousMark, keymap.PagerNextMark}})
	}
	return append(hints, keymap.Hint{Text: "editor", Actions: []string{keymap.PagerEdit}})
}

func (p *Pager) hasMarks() bool {
	for i := range p.source.Len() {
		if p.source.Mark(i) {
			return true
		}
	}
	return false
}
