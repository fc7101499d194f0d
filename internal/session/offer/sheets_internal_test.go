package offer

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Each session looks up the sheets of some twenty tools before its first call of a model.
func TestAKnownSheetIsFoundWithoutACopyOfTheDefinition(t *testing.T) {
	var all Sheets
	d := tool.Definition{Name: "echo", Description: strings.Repeat("Echoes. ", 100), Parameters: []byte(`{"type":"object"}`)}
	first := all.of(d)
	if n := testing.AllocsPerRun(100, func() {
		if all.of(d) != first {
			t.Error("the same definition has two sheets")
		}
	}); n != 0 {
		t.Errorf("finding a sheet allocates %v times, want 0", n)
	}
	other := d
	other.Parameters = []byte(`{"type":"object","required":["text"]}`)
	if all.of(other) == first {
		t.Error("two definitions have one sheet")
	}
}
