package screen

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// region is the live rows as they were painted.
type region struct {
	lines []line
	at    position // of the cursor
	size  size     // of the terminal, when they were painted
}

// position is a place in the live rows, from 0.
type position struct{ row, column int }

// pen writes a frame. It begins where the cursor was left in the region.
type pen struct {
	region
	strings.Builder
	columns int
	blank   bool // all below the cursor was erased
}

// to moves to the first column of a live row. Rows below the last one are made.
func (p *pen) to(n int) {
	if p.at == (position{row: n}) {
		return
	}
	if n < p.at.row {
		p.sequence(p.at.row-n, 'A')
	}
	p.WriteByte('\r')
	for ; p.at.row < n; p.at.row++ {
		p.WriteByte('\n')
	}
	p.at = position{row: n}
}

// sequence writes a control sequence with a number.
func (p *pen) sequence(n int, last byte) {
	p.WriteString("\x1b[" + strconv.Itoa(n))
	p.WriteByte(last)
}

// eraseDown erases from the first column of a row to the end of the screen. tmux keeps in its
// scrollback what "CSI J" erases from the upper left corner, so that live rows that fill the screen
// would be left there: it is sent one column further right, and the rest of the row is erased after it.
const eraseDown = "\x1b[1C\x1b[J\r\x1b[K"

// erase removes the live rows. up is how many rows the first one is above the cursor now.
func (p *pen) erase(up int) {
	p.at.row = up
	p.to(0)
	p.WriteString(eraseDown)
	p.lines, p.blank = nil, true
}

// text writes a row at the cursor, which is in its first column and in old row n of the region.
//
// Rows are erased before anything is written: after a row that fills the width, the cursor is still in
// the last column, where erasing would remove the last character. And tmux counts what was
// erased behind a text as part of the row, when it wraps the row again.
func (p *pen) text(l line, n int) {
	switch {
	case p.blank || n >= len(p.lines):
	case l.width > p.columns:
		p.WriteString(eraseDown)
		p.blank = true
	case p.lines[n].width > l.width || !ascii(p.lines[n].text) || !ascii(l.text):
		p.WriteString("\x1b[K")
	}
	p.WriteString(l.text)
	p.at.column = -1 // unknown, because the terminal may measure differently
}

// change writes the live rows that differ from those of the frame before.
func (p *pen) change(live []line) {
	for i, l := range live {
		if i < len(p.lines) && p.lines[i].text == l.text {
			continue
		}
		p.to(i)
		p.text(l, i)
	}
	if len(live) < len(p.lines) {
		p.to(len(live))
		p.WriteString(eraseDown)
	}
}

// overwrite writes final rows over the live ones, and the live ones below them.
func (p *pen) overwrite(final, live []line) {
	p.to(0)
	for i, l := range final {
		p.text(l, i)
		p.WriteString("\r\n")
	}
	p.at = position{}
	for i, l := range live {
		p.to(i)
		p.text(l, len(final)+i)
	}
	if used := len(final) + len(live); !p.blank && used < len(p.lines) {
		p.to(len(live))
		p.WriteString(eraseDown)
	}
}

// put moves the cursor to its place; a hidden one to the last of the live rows, of which there are end.
func (p *pen) put(c Cursor, end int) {
	want := position{row: c.Row, column: c.Column}
	if !c.Shown {
		// Where the live rows end: a terminal that becomes smaller keeps the row of its cursor on the
		// screen, and only what is there can be erased.
		want = position{row: max(end-1, 0)}
	}
	if p.at == want {
		return
	}
	p.at.column = -1
	p.to(want.row)
	if want.column > 0 {
		p.sequence(want.column, 'C')
	}
	p.at = want
}

// below moves to the first column below the live rows.
func (p *pen) below() { p.to(len(p.lines)) }

// ascii reports whether a text has only characters whose width every terminal knows.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// expand replaces tabs by spaces. A terminal moves over what a tab skips and does not erase it.
func expand(r row.Row) row.Row {
	tabs := false
	for _, s := range r {
		tabs = tabs || strings.Contains(s.Text, "\t")
	}
	if !tabs {
		return r
	}
	out := make(row.Row, len(r))
	before := ""
	for i, s := range r {
		all := row.Expand(before + s.Text)
		s.Text = all[len(before):]
		out[i], before = s, all
	}
	return out
}
