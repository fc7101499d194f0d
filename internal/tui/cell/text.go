package cell

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// proseWidth bounds the width of prose, in columns: longer lines are hard to read.
const proseWidth = 100

// unbarred is text of a model or a tool without the heavy lines that are the bar of a question, which no
// other row has; light ones take their place.
func unbarred(text string) string { return bars.Get().Replace(text) }

var bars = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("┃", "│", "┗", "└", "┏", "┌")
}}

// wrapped is text in rows, wrapped between words.
func wrapped(text string, width int) (rows []row.Row) {
	if text == "" {
		return nil
	}
	for _, l := range strings.Split(strings.TrimSuffix(unbarred(timeline.Harmless(text)), "\n"), "\n") {
		rows = append(rows, row.Text(row.Expand(l)).Wrap(min(width, proseWidth), nil)...)
	}
	return rows
}
