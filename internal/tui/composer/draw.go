package composer

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Position is a place on the rows of the box.
type Position struct {
	Row    int // from the top, beginning at 0
	Column int // from the left, beginning at 0
}

const (
	prompt      = "› "
	shellPrompt = "! "
	indent      = 2 // columns of a prompt
)

// narrow is the width of a box that has no room for a prompt, in columns.
const narrow = 6

// Rows draws the box: at most height rows of at most width columns, at least one. The cursor is inside
// of them. The rows around the cursor are drawn if there is no room for all.
func (c *Composer) Rows(width, height int) (rows []row.Row, cursor Position) {
	c.ready()
	width, height = max(width, 1), max(height, 1)
	left := indent
	if width < narrow {
		left = 0
	}
	c.resize(max(width-left-1, 1)) // a column is left for the cursor behind a full row
	if c.search.on && height == 1 {
		return c.searchRow(width)
	}
	room := height
	if c.search.on {
		room--
	}
	rows, cursor = c.textRows(left, width, room)
	if c.Empty() && c.Placeholder != "" && !c.search.on {
		rows[0] = rows[0].And(c.Placeholder, row.Dim).Cut(width)
	}
	if c.search.on {
		line, at := c.searchRow(width)
		return append(rows, line...), Position{len(rows), at.Column}
	}
	return rows, cursor
}

// resize sets the width of the text.
func (c *Composer) resize(width int) {
	if width == c.layout.width {
		return
	}
	c.layout.width = width
	for i := range c.text.lines {
		c.text.lines[i].starts, c.text.lines[i].whole = nil, false
	}
	c.top.row = 0
}

// textRows draws the text in at most height rows of at most width columns, behind a margin of left columns.
func (c *Composer) textRows(left, width, height int) (rows []row.Row, cursor Position) {
	at := c.row()
	c.scroll(at, height)
	r, more := c.top, true
	for more && len(rows) < height {
		if r == at {
			column := c.layout.column(&c.text.lines[r.line], c.cursor.at)
			cursor = Position{len(rows), min(left+column, width-1)}
		}
		rows = append(rows, c.margin(r, left).Join(c.draw(r)))
		r, more = c.layout.below(&c.text, r)
	}
	if left > 0 && len(rows) > 1 && more {
		rows[len(rows)-1][0] = row.Span{Text: "↓ ", Style: row.Dim}
	}
	return rows, cursor
}

// margin is what stands before a row.
func (c *Composer) margin(r rowAt, left int) row.Row {
	switch {
	case left == 0:
		return nil
	case r == (rowAt{}) && c.shell:
		return row.Of(shellPrompt, row.Warning)
	case r == (rowAt{}):
		return row.Of(prompt, row.Accent)
	case r == c.top:
		return row.Of("↑ ", row.Dim)
	}
	return row.Text(strings.Repeat(" ", left))
}

// scroll chooses the first row that is drawn: the cursor is seen, and no row below is empty if there
// are more above.
func (c *Composer) scroll(at rowAt, height int) {
	last := len(c.text.lines) - 1
	if c.top.line > last {
		c.top = rowAt{last, 0}
	}
	ln := &c.text.lines[c.top.line]
	if c.layout.known(ln, c.top.row+1); c.top.row >= len(ln.starts) {
		c.top.row = len(ln.starts) - 1
	}
	if at.line < c.top.line || at.line == c.top.line && at.row < c.top.row {
		c.top = at
	}
	seen := 1 // rows from the top to the cursor
	for r := c.top; r != at; seen++ {
		if seen > height {
			c.top = at
			seen = 1
			break
		}
		r, _ = c.layout.below(&c.text, r)
	}
	if seen > height {
		c.top, seen = at, 1
	}
	below := 0
	for r, more := c.layout.below(&c.text, at); more && seen+below < height; below++ {
		r, more = c.layout.below(&c.text, r)
	}
	for seen+below < height {
		r, ok := c.layout.above(&c.text, c.top)
		if !ok {
			return
		}
		c.top = r
		seen++
	}
}

// draw is a row of the text.
func (c *Composer) draw(r rowAt) (out row.Row) {
	ln := &c.text.lines[r.line]
	from, to := c.layout.bounds(ln, r.row)
	found, past := c.foundIn(ln.text)
	var plain strings.Builder
	column := 0
	for i := from; i < to; {
		if i == found {
			out = out.And(plain.String(), row.Plain)
			plain.Reset()
		}
		if i == past {
			out = out.And(plain.String(), row.Accent|row.Underline)
			plain.Reset()
		}
		one := c.layout.cell(ln.text, i, column)
		i = one.end
		if column += one.width; column > c.layout.width {
			break // spaces at the end of a row
		}
		if one.atom {
			out = out.And(plain.String(), row.Plain).And(one.shown, row.Accent)
			plain.Reset()
			continue
		}
		plain.WriteString(one.shown)
	}
	style := row.Plain
	if found >= 0 && found < to && past >= to {
		style = row.Accent | row.Underline
	}
	return out.And(plain.String(), style)
}

// foundIn is where a line of the message that the search shows has the query, in bytes; -1 if it has not.
func (c *Composer) foundIn(line string) (from, to int) {
	if !c.search.shown || c.search.query == "" {
		return -1, -1
	}
	if from, to = matches(line, c.search.query); from < 0 {
		return -1, -1
	}
	return from, to
}

// searchRow is the row of the search, with the cursor behind the query.
func (c *Composer) searchRow(width int) ([]row.Row, Position) {
	label := "search history: "
	if c.search.none && c.search.query != "" {
		label = "no such message: "
	}
	r := row.Of(label, row.Dim)
	query := c.search.query
	room := max(width-row.Width(label)-1, 1)
	if width <= row.Width(label)+1 {
		r, room = nil, max(width-1, 0)
	}
	for row.Width(query) > room {
		query = query[next(query, 0):]
	}
	r = r.And(query, row.Accent)
	return []row.Row{r}, Position{0, min(r.Width(), width-1)}
}
