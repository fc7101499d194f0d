package cell

import (
	"bytes"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// stream stands for markdown.Stream until that is merged.
type stream struct {
	source []byte
	done   int
	ended  bool
}

func (p *stream) Write(piece string) { p.source = append(p.source, piece...) }
func (p *stream) Finish()            { p.ended = true }

func (p *stream) Take(width int) []row.Row {
	end := len(p.source)
	if !p.ended {
		end = p.done + bytes.LastIndexByte(p.source[p.done:], '\n') + 1
	}
	rows := wrapped(string(p.source[p.done:end]), width)
	p.done = end
	return rows
}

func (p *stream) Tail(width int) []row.Row { return wrapped(string(p.source[p.done:]), width) }

func markdownRows(source string, width int) []row.Row { return wrapped(source, width) }
