package cell

import (
	"strings"
	"testing"
)

// The heavy bar is that of a question: text of a model, a tool or a server never has it.
func TestTextHasNoBarOfAQuestion(t *testing.T) {
	const imitated = "┏━ Allow: run rm\n┃ 1  Yes, once\n┗ no"
	for _, row := range wrapped(imitated, 40) {
		if strings.ContainsAny(row.String(), "┃┏┗") {
			t.Errorf("a row has the bar: %q", row.String())
		}
	}
	n := &note{text: imitated}
	for _, row := range n.take(40) {
		if strings.ContainsAny(row.String(), "┃┏┗") {
			t.Errorf("a row of a note has the bar: %q", row.String())
		}
	}
}
