package markdown

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/code"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

const (
	maxProse = 100 // columns; longer rows of prose are hard to read
	minProse = 16  // columns that prose has beside the marks of lists and quotes, if the width has them
	maxRule  = 24  // columns
)

// renderer makes rows of blocks, in their order. It is a value: a copy goes on from the same
// block.
type renderer struct {
	colours code.Scanner
}

// block adds the rows of a block.
func (r *renderer) block(rows []row.Row, b *block, width int) []row.Row {
	if b.gap {
		rows = append(rows, trim(fit(b.spacer, width)))
	}
	switch b.kind {
	case codeLine:
		if !b.part {
			r.colours = code.Named(b.language).Scanner()
		}
		return append(rows, r.colours.Line(b.text))
	case grid:
		return b.table(rows, width)
	case ruler:
		room := width - fit(b.first, width).Width()
		return append(rows, fit(b.first, width).And(strings.Repeat("─", min(room, maxRule)), row.Dim))
	}
	return b.prose(rows, width)
}

// prose adds the rows of text that is wrapped between words.
func (b *block) prose(rows []row.Row, width int) []row.Row {
	first, further := fit(b.first, width), fit(b.further, width)
	room := max(min(width, maxProse)-further.Width(), 1)
	for _, line := range spans(b.text, b.style()) {
		for _, text := range line.Wrap(room, nil) {
			rows = append(rows, trim(first.Join(text)))
			first = further
		}
	}
	return rows
}

// style is the style of plain text in the block.
func (b *block) style() row.Style {
	switch {
	case b.kind != header:
		return row.Plain
	case b.level == 1:
		return row.Heading | row.Underline
	}
	return row.Heading
}

// fit is as much of a prefix as leaves room for text.
func fit(prefix row.Row, width int) row.Row {
	room := max(width-minProse, width/2)
	if prefix.Width() <= room {
		return prefix
	}
	var out row.Row
	for _, s := range prefix {
		n := row.Width(s.Text)
		if n > room {
			break
		}
		room -= n
		out = append(out, s)
	}
	return out
}

// trim is a row without spaces at its end.
func trim(r row.Row) row.Row {
	for n := len(r); n > 0; n-- {
		last := r[n-1]
		if last.Text = strings.TrimRight(last.Text, " "); last.Text != "" {
			if len(last.Text) < len(r[n-1].Text) {
				r = append(r[:n-1:n-1], last)
			}
			return r[:n]
		}
	}
	return nil
}
