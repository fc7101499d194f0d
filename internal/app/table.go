package app

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is aligned columns. The last one is not filled up, and cut off only on a
// terminal, where a row that wraps breaks the table.
type table struct {
	out    io.Writer
	look   paint
	narrow bool
	rows   [][]string // the first is the heading
	widths []int
	right  []int // columns of numbers
}

func newTable(o *options, heading ...string) *table {
	t := &table{
		out: o.sys.Stdout, look: paintFor(o.sys.Stdout, o.sys.Getenv), narrow: isTerminal(o.sys.Stdout),
		widths: make([]int, len(heading)),
	}
	t.row(heading...)
	return t
}

// row adds one; it has as many cells as the heading.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print() error {
	var b strings.Builder
	for n, cells := range t.rows {
		line := t.line(cells)
		if n == 0 {
			line = t.look.dim(line)
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

func (t *table) line(cells []string) string {
	var b strings.Builder
	last := len(cells) - 1
	used := 0
	for i, c := range cells[:last] {
		if slices.Contains(t.right, i) {
			b.WriteString(strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(c)) + c + "  ")
		} else {
			b.WriteString(pad(c, t.widths[i]+2))
		}
		used += t.widths[i] + 2
	}
	text := cells[last]
	if t.narrow && used < columns {
		text = oneLine(text, columns-used)
	}
	return strings.TrimRight(b.String()+text, " ")
}
