package timeline_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// The rows before the end of a long result are counted with what the tool has left out.
func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		"a":    "1 line",
		"a\nb": "2 lines",
		"a\nb\n[77.7 KB are left out here; they are in /f]\nz":   "3 lines and 77.7 KB",
		"a\nb\n[512 bytes left out here; all of it is in /f]\nz": "3 lines and 512 bytes",
	} {
		if got := timeline.Hidden(strings.Split(text, "\n")); got != want {
			t.Errorf("%q hides %q, want %q", text, got, want)
		}
	}
}
