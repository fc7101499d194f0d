package composer

import "sort"

// layout wraps lines to rows of a width. Rows are found when they are needed and kept with their line.
type layout struct {
	width  int               // columns of a row
	labels func(rune) string // what an atom is shown as
}

// cell is a character as it is shown.
type cell struct {
	end   int // its end in the line, in bytes
	shown string
	width int
	atom  bool
}

// cell is the character that begins at a byte of a line, in a column.
func (l *layout) cell(s string, at, column int) cell {
	end := next(s, at)
	g := s[at:end]
	if r := atomOf(g); r != 0 {
		label := cut(l.labels(r), l.width)
		return cell{end, label, width(label), true}
	}
	text, n := shown(g, column, l.width)
	return cell{end, text, n, false}
}

// rowEnd is where the row ends that begins at a byte: between words, or inside one that is wider
// than a row. Spaces at the end of a row take no room.
func (l *layout) rowEnd(s string, at int) int {
	column, good := 0, -1
	for i := at; i < len(s); {
		c := l.cell(s, i, column)
		if s[i] == ' ' || s[i] == '\t' {
			column = min(column+c.width, l.width)
			i, good = c.end, c.end
			continue
		}
		alone := c.atom || c.width > 1 // the row can end before and behind it
		if alone && i > at {
			good = i
		}
		if column+c.width > l.width && i > at {
			if good > at {
				return good
			}
			return i
		}
		column, i = column+c.width, c.end
		if alone {
			good = i
		}
	}
	return len(s)
}

// known makes sure that the first n rows of a line are known, or all if it has fewer.
func (l *layout) known(ln *line, n int) {
	if len(ln.starts) == 0 {
		ln.starts = append(ln.starts, 0)
	}
	for len(ln.starts) < n && !ln.whole {
		l.grow(ln)
	}
}

// grow finds one row more.
func (l *layout) grow(ln *line) {
	if len(ln.starts) == 0 {
		ln.starts = append(ln.starts, 0)
		return
	}
	end := l.rowEnd(ln.text, ln.starts[len(ln.starts)-1])
	if end == len(ln.text) {
		ln.whole = true
		return
	}
	ln.starts = append(ln.starts, end)
}

// rowOf is the row of a line that a byte is in: the later one, where one ends and one begins.
func (l *layout) rowOf(ln *line, at int) int {
	l.known(ln, 1)
	for !ln.whole && ln.starts[len(ln.starts)-1] < at {
		l.grow(ln)
	}
	return sort.SearchInts(ln.starts, at+1) - 1
}

// rows is the number of rows of a line.
func (l *layout) rows(ln *line) int {
	for !ln.whole {
		l.grow(ln)
	}
	return len(ln.starts)
}

// bounds is where a known row of a line begins and ends.
func (l *layout) bounds(ln *line, n int) (from, to int) {
	l.known(ln, n+2)
	from, to = ln.starts[n], len(ln.text)
	if n+1 < len(ln.starts) {
		to = ln.starts[n+1]
	}
	return from, to
}

// column is the column of a byte in its row.
func (l *layout) column(ln *line, at int) int {
	from, _ := l.bounds(ln, l.rowOf(ln, at))
	column := 0
	for i := from; i < at; {
		c := l.cell(ln.text, i, column)
		column, i = column+c.width, c.end
	}
	return min(column, l.width)
}

// at is the byte of a row that is nearest to a column, but not behind it. The place behind the last
// character of a row belongs to the next row, if there is one.
func (l *layout) at(ln *line, n, column int) int {
	from, to := l.bounds(ln, n)
	used, last := 0, from
	for i := from; i < to; {
		c := l.cell(ln.text, i, used)
		if used+c.width > column {
			return i
		}
		used, last, i = used+c.width, i, c.end
	}
	if to < len(ln.text) {
		return last
	}
	return to
}

// rowAt is a row of the text.
type rowAt struct{ line, row int }

// below is the row that follows. ok is false behind the last.
func (l *layout) below(t *text, r rowAt) (_ rowAt, ok bool) {
	ln := &t.lines[r.line]
	l.known(ln, r.row+2)
	switch {
	case r.row+1 < len(ln.starts):
		return rowAt{r.line, r.row + 1}, true
	case r.line+1 < len(t.lines):
		return rowAt{r.line + 1, 0}, true
	}
	return r, false
}

// above is the row before. ok is false at the first.
func (l *layout) above(t *text, r rowAt) (_ rowAt, ok bool) {
	switch {
	case r.row > 0:
		return rowAt{r.line, r.row - 1}, true
	case r.line > 0:
		return rowAt{r.line - 1, l.rows(&t.lines[r.line-1]) - 1}, true
	}
	return r, false
}
