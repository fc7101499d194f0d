package cell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Hidden reasoning is in no row of the conversation, and in the pager.
func TestHiddenReasoning(t *testing.T) {
	for how, want := range map[string]bool{"hidden": false, "full": true} {
		f := newFeed(Options{Reasoning: how})
		f.reasons("r")
		f.think("r", "because of the moon")
		f.endThought()
		rows := slices.Concat(f.Take(80), f.Live(80, 24, time.Time{}))
		if got := strings.Contains(joinedText(rows), "moon"); got != want {
			t.Errorf("%s: %q", how, joinedText(rows))
		}
	}
}

func joinedText(rows []row.Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}
