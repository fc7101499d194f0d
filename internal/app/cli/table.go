package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Table is aligned columns. Its last column is not padded. It is cut only on a terminal,
// where a row that wraps breaks the table.
type Table struct {
	out    io.Writer
	look   terminal.Paint
	narrow bool
	width  int        // of the terminal, in columns
	rows   [][]string // the first is the heading
	widths []int
	right  []int // columns of numbers
}

// NewTable makes a table for stdout. right are the indexes of the columns of numbers.
func NewTable(sys System, right []int, heading ...string) *Table {
	t := &Table{
		out: sys.Stdout, look: terminal.PaintFor(sys.Stdout, sys.Getenv), narrow: terminal.Is(sys.Stdout),
		width: Width(sys.Stdout), widths: make([]int, len(heading)), right: right,
	}
	t.Row(heading...)
	return t
}

// Row adds a row, which has as many cells as the heading.
func (t *Table) Row(cells ...string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], timeline.Width(c))
	}
	t.rows = append(t.rows, cells)
}

// Print writes the table to stdout.
func (t *Table) Print() error {
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

func (t *Table) line(cells []string) string {
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
