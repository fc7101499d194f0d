package app

import (
	"io"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// table is aligned columns. The last one is not filled up, and cut off only on a
// terminal, where a row that wraps breaks the table.
type table struct {
	out    io.Writer
	look   terminal.Paint
	narrow bool
	width  int        // of the terminal, in columns
	rows   [][]string // the first is the heading
	widths []int
	right  []int // columns of numbers
}

func newTable(o *options, heading ...string) *table {
	t := &table{
		out: o.sys.Stdout, look: terminal.PaintFor(o.sys.Stdout, o.sys.Getenv), narrow: terminal.Is(o.sys.Stdout),
		width:  width(o.sys.Stdout),
		widths: make([]int, len(heading)),
	}
	t.row(heading...)
	return t
}

// row adds one; it has as many cells as the heading.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], timeline.Width(c))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print() error {
	var b strings.Builder
	for n, cells := range t.rows {
		line := t.line(cells)
		if n == 0 {
			line = t.look.Dim(line)
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
			b.WriteString(strings.Repeat(" ", t.widths[i]-timeline.Width(c)) + c + "  ")
		} else {
			b.WriteString(timeline.Pad(c, t.widths[i]+2))
		}
		used += t.widths[i] + 2
	}
	text := cells[last]
	if t.narrow && used < t.width {
		text = timeline.OneLine(text, t.width-used)
	}
	return strings.TrimRight(b.String()+text, " ")
}

// columns is how wide what we lay out may be where nobody asked for more.
const columns = terminal.Columns

// width is how wide a stream is, in columns.
func width(stream any) int {
	w, _ := terminal.Size(stream)
	return w
}
