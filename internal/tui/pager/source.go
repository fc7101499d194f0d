package pager

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Source is what the pager shows. Its items are asked for when they are to be shown or searched,
// several times for the same one, so a source need not keep the rows. Rows that are wider than
// width are folded by the pager.
type Source interface {
	// Len is the number of items.
	Len() int
	// Rows makes the rows of item i.
	Rows(i, width int) []row.Row
	// Mark reports whether the item is one that the keys ← and → stop at, such as a message of
	// the user.
	Mark(i int) bool
}

// Lines is a source of rows that are there, one item each. It has no marks.
type Lines []row.Row

// Len implements [Source].
func (l Lines) Len() int { return len(l) }

// Rows implements [Source].
func (l Lines) Rows(i, _ int) []row.Row { return l[i : i+1] }

// Mark implements [Source].
func (l Lines) Mark(int) bool { return false }

// Text is all of the text, with rows of the given width.
func (p *Pager) Text(width int) string {
	var b strings.Builder
	for i := range p.source.Len() {
		for _, r := range p.source.Rows(i, width) {
			b.WriteString(r.String() + "\n")
		}
	}
	return b.String()
}
