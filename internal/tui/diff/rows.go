package diff

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/code"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

const (
	wideEnough = 60  // columns from which both numbers of a line are shown
	lookBack   = 200 // lines before a window that are read for comments and strings that go on
)

// Row is the row of a line, 0 ≤ i < Len. It can be wider than width, which decides about the
// columns of numbers only: the terminal wraps it.
func (d *Diff) Row(i, width int) row.Row { return d.Rows(width, i, 1)[0] }

// Rows are the rows of n lines from a line on, one for each, as far as there are so many. The cost
// depends on n, and not on the length of the diff.
func (d *Diff) Rows(width, from, n int) []row.Row {
	var rows []row.Row
	d.each(from, n, func(i int, text row.Row) {
		rows = append(rows, d.gutter(i, width).Join(text))
	})
	return rows
}

// Fold is like Rows, with lines that are wider than width cut into several rows. The further ones
// are indented like the text. They come line by line.
func (d *Diff) Fold(width, from, n int) [][]row.Row {
	var lines [][]row.Row
	d.each(from, n, func(i int, text row.Row) {
		gutter := d.gutter(i, width)
		used := gutter.Width()
		var rows []row.Row
		for _, part := range text.Fold(max(width-used, minText)) {
			rows = append(rows, gutter.Join(part))
			gutter = row.Text(strings.Repeat(" ", used))
		}
		lines = append(lines, rows)
	})
	return lines
}

const minText = 8 // columns for the text of a line that is folded

// Summary says how many lines are added and removed: "+3 −1", "" for a diff without changes.
func (d *Diff) Summary() row.Row { return counts(d.added, d.removed) }

func counts(added, removed int) row.Row {
	var r row.Row
	if added > 0 {
		r = r.And("+"+timeline.Count(int64(added)), row.Added)
	}
	if removed > 0 {
		if added > 0 {
			r = r.And(" ", row.Plain)
		}
		r = r.And("−"+timeline.Count(int64(removed)), row.Removed)
	}
	return r
}

// gutter is what is before the text of a line: its numbers and its sign.
func (d *Diff) gutter(i, width int) row.Row {
	l := &d.lines[i]
	if l.kind > removed {
		return nil
	}
	numbers := d.number(l.new)
	switch {
	case width >= wideEnough:
		numbers = d.number(l.old) + " " + numbers
	case l.kind == removed:
		numbers = d.number(l.old)
	}
	r := row.Of(numbers+" ", row.Dim)
	switch l.kind {
	case added:
		return r.And("+ ", row.Added)
	case removed:
		return r.And("- ", row.Removed)
	}
	return r.And("  ", row.Plain)
}

// number is a number in its column, or an empty column.
func (d *Diff) number(n int32) string {
	text := ""
	if n > 0 {
		text = strconv.Itoa(int(n))
	}
	return strings.Repeat(" ", max(d.digits-len(text), 0)) + text
}

// each calls f with the text of n lines.
func (d *Diff) each(from, n int, f func(i int, text row.Row)) {
	from = max(from, 0)
	to := min(from+max(n, 0), len(d.lines))
	var c colours
	for i := d.start(from); i < to; i++ {
		l := &d.lines[i]
		var text row.Row
		if l.kind > removed {
			c.language = nil
			text = d.heading(l)
		} else {
			if c.language == nil {
				c.begin(code.OfFile(d.name(l)))
			}
			text = c.line(l.kind, clean(l.text))
		}
		if i >= from {
			f(i, d.mark(i, text))
		}
	}
}

// start is where colours have to be followed from, so that those of a line are right.
func (d *Diff) start(line int) int {
	i := min(line, len(d.lines)-1)
	for i > 0 && line-i < lookBack && d.lines[i].kind <= removed {
		i--
	}
	return max(i, 0)
}

func (d *Diff) name(l *line) string {
	if len(d.files) == 0 {
		return ""
	}
	return d.files[l.file].name
}

// heading is a row that is no line of code.
func (d *Diff) heading(l *line) row.Row {
	switch l.kind {
	case title:
		f := &d.files[l.file]
		name := clean(f.name)
		if f.from != "" {
			name = clean(f.from) + " → " + name
		}
		return row.Of(name, row.Bold).And("  ", row.Plain).Join(counts(f.added, f.removed))
	case hunk:
		r := row.Of("⋯", row.Hunk)
		if l.text != "" {
			r = r.And(" "+clean(l.text), row.Dim)
		}
		return r
	}
	return row.Of(clean(l.text), row.Dim)
}

// clean is a line of a diff as it can be shown.
func clean(text string) string { return code.Expand(timeline.Exposed(text)) }

// colours colours the unchanged lines of a hunk. The changed ones have the colour of their sign; they
// are scanned because a comment or a string may continue behind them. A string of a removed line
// would else have the colour of an added one.
type colours struct {
	language *language
	old, new code.Scanner
}

// language is the language of a hunk, which may be none.
type language struct{ *code.Language }

func (c *colours) begin(l *code.Language) {
	c.language, c.old, c.new = &language{l}, l.Scanner(), l.Scanner()
}

func (c *colours) line(k kind, text string) row.Row {
	switch k {
	case added:
		c.new.Line(text)
		return row.Of(text, row.Added)
	case removed:
		c.old.Line(text)
		return row.Of(text, row.Removed)
	}
	if c.old == c.new {
		r := c.new.Line(text)
		c.old = c.new
		return r
	}
	c.old.Line(text)
	return c.new.Line(text)
}
