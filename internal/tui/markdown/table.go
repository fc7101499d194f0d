package markdown

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// columns are the columns of one table.
type columns struct {
	aligns  []align
	natural []int // what the first rows need, nil before they are known
	head    []row.Row
}

const (
	between   = " │ "
	leastCell = 4 // columns; a table with narrower columns is shown as records
)

// table adds the rows of a table, or of the rows that follow in it.
func (b *block) table(rows []row.Row, width int) []row.Row {
	first, further := fit(b.first, width), fit(b.further, width)
	room := max(width-further.Width(), 1)
	var lines []row.Row
	if widths := b.columns.widths(room); widths != nil {
		lines = b.grid(widths)
	} else {
		lines = b.records(room)
	}
	for _, line := range lines {
		rows = append(rows, trim(first.Join(line)))
		first = further
	}
	return rows
}

// cells are the cells of a line: as many as the table has columns.
func (c *columns) cells(line string, head bool) []row.Row {
	style := row.Plain
	if head {
		style = row.Bold
	}
	out := make([]row.Row, len(c.aligns))
	for i, text := range cells(line) {
		if i == len(out) {
			break
		}
		out[i] = slices.Concat(spans(text, style)...)
	}
	return out
}

// measure finds what the columns need, when the first rows are known. If more can follow, each has
// at least a few columns, so that their words fit.
func (c *columns) measure(body [][]row.Row, more bool) {
	if c.natural != nil {
		return
	}
	least := 1
	if more {
		least = leastCell
	}
	c.natural, c.head = make([]int, len(c.aligns)), body[0]
	for _, cells := range body {
		for i, cell := range cells {
			c.natural[i] = max(c.natural[i], cell.Width(), least)
		}
	}
}

// widths are the widths of the columns: what they need, if there is room. Otherwise the wide ones
// share what the narrow ones leave. It is nil if there is no room for a table.
func (c *columns) widths(room int) []int {
	room -= (len(c.natural) - 1) * row.Width(between)
	if room < len(c.natural)*leastCell && room < sum(c.natural) {
		return nil
	}
	out := make([]int, len(c.natural))
	for left := len(out); left > 0; {
		share, settled := room/left, left
		for i, n := range c.natural {
			if out[i] == 0 && n <= share {
				out[i], room, left = n, room-n, left-1
			}
		}
		if left == settled { // all that are left need more than their share
			for i := range out {
				if out[i] == 0 {
					out[i] = room / left
					room, left = room-out[i], left-1
				}
			}
		}
	}
	return out
}

func sum(numbers []int) int {
	n := 0
	for _, k := range numbers {
		n += k
	}
	return n
}

// grid are the rows of a table with columns side by side.
func (b *block) grid(widths []int) []row.Row {
	var out []row.Row
	for i, cells := range b.cells {
		out = append(out, b.columns.line(cells, widths)...)
		if i == 0 && !b.part {
			var rule []string
			for _, w := range widths {
				rule = append(rule, strings.Repeat("─", w))
			}
			out = append(out, row.Of(strings.Join(rule, "─┼─"), row.Dim))
		}
	}
	return out
}

// line are the rows of one row of a table, whose cells are wrapped.
func (c *columns) line(cells []row.Row, widths []int) []row.Row {
	wrapped, height := make([][]row.Row, len(cells)), 1
	for i, cell := range cells {
		wrapped[i] = cell.Wrap(widths[i], nil)
		height = max(height, len(wrapped[i]))
	}
	out := make([]row.Row, height)
	for y := range out {
		var line row.Row
		for i, w := range widths {
			if i > 0 {
				line = line.And(between, row.Dim)
			}
			var cell row.Row
			if y < len(wrapped[i]) {
				cell = wrapped[i][y]
			}
			line = line.Join(pad(cell, w, c.aligns[i]))
		}
		out[y] = line
	}
	return out
}

func pad(cell row.Row, width int, a align) row.Row {
	free := max(width-cell.Width(), 0)
	before := 0
	switch a {
	case right:
		before = free
	case centre:
		before = free / 2
	}
	return row.Text(strings.Repeat(" ", before)).Join(cell).And(strings.Repeat(" ", free-before), row.Plain)
}

// records are the rows of a table that is too wide: for each of its rows the names of the columns
// with the cells.
func (b *block) records(room int) []row.Row {
	body := b.cells
	if !b.part {
		body = body[1:]
	}
	var out []row.Row
	for i, cells := range body {
		if i > 0 || b.part {
			out = append(out, nil)
		}
		for k, cell := range cells {
			if len(cell) == 0 {
				continue
			}
			line := b.columns.head[k].And(": ", row.Bold).Join(cell)
			out = append(out, line.Wrap(room, row.Text("  "))...)
		}
	}
	return out
}
