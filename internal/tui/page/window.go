package page

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Window is what fills the context window of the model, for the pager.
type Window struct {
	Context cell.Context
	Largest []cell.ContextPart // the largest entries, the largest first
	// Deferred says what the tools that are deferred would take; "" if there are none.
	Deferred string
}

// Len implements [pager.Source].
func (Window) Len() int { return 1 }

// Mark implements [pager.Source].
func (Window) Mark(int) bool { return false }

// Rows implements [pager.Source].
func (w Window) Rows(_, width int) []row.Row {
	rows := w.Context.Rows(width)
	if w.Deferred != "" {
		rows = append(append(rows, nil), row.Of(line(w.Deferred), row.Plain).Wrap(width-1, nil)...)
	}
	if len(w.Largest) > 0 {
		rows = append(rows, nil, row.Of("The largest", row.Heading))
	}
	for _, p := range w.Largest {
		number := fmt.Sprintf("%9s  ", timeline.Count(p.Tokens))
		rows = append(rows, row.Text(number).And(line(p.Name), row.Plain).Cut(width-1))
	}
	for _, text := range []string{
		"/compact summarizes the conversation; /compact WHAT says what matters most.",
		"/new begins without it. /mcp switches servers off, whose tools take room.",
	} {
		rows = append(append(rows, nil), row.Of(text, row.Dim).Wrap(width-1, nil)...)
	}
	return rows
}
