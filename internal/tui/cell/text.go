package cell

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// proseWidth bounds the width of prose, in columns: longer lines are hard to read.
const proseWidth = 100

// wrapped is text in rows, wrapped between words.
func wrapped(text string, width int) (rows []row.Row) {
	if text == "" {
		return nil
	}
	for _, l := range strings.Split(strings.TrimSuffix(timeline.Harmless(text), "\n"), "\n") {
		rows = append(rows, row.Text(row.Expand(l)).Wrap(min(width, proseWidth), nil)...)
	}
	return rows
}
