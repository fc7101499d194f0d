package cell

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// proseWidth bounds the width of prose, in columns: longer lines are hard to read.
const proseWidth = 100

// prose is text of a model that streams: its lines become final when they end.
type prose struct {
	source []byte
	done   int // bytes of source whose rows were taken
	ended  bool
}

// write adds a piece.
func (p *prose) write(piece string) { p.source = append(p.source, piece...) }

// take returns the rows that have become final.
func (p *prose) take(width int) []row.Row {
	end := len(p.source)
	if !p.ended {
		end = p.done + strings.LastIndexByte(string(p.source[p.done:]), '\n') + 1
	}
	rows := wrapped(string(p.source[p.done:end]), width)
	p.done = end
	return rows
}

// live returns the rows that can still change.
func (p *prose) live(width int) []row.Row { return wrapped(string(p.source[p.done:]), width) }

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
