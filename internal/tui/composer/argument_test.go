package composer

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// Only the first argument of a command with choices is completed, and only at the beginning of the text.
func TestOnlyTheFirstArgumentIsCompleted(t *testing.T) {
	for text, want := range map[string]bool{
		"/mode p": true, "/mode  p": true, "/mode plan p": false, "/other p": false, "see /mode p": false, "/mode": false, "/mode ": false, " /mode p": false, "/modep": false,
	} {
		c := &Composer{Arguments: map[string]*complete.List{"mode": complete.NewList([]complete.Candidate{{Text: "plan"}})}}
		for _, r := range text {
			k := input.Key{Name: string(r), Text: string(r)}
			if r == ' ' {
				k.Name = "space"
			}
			c.Key(k)
		}
		var shown []string
		for _, r := range c.Popup(40) {
			shown = append(shown, r.String())
		}
		if got := strings.Contains(strings.Join(shown, "\n"), "plan"); got != want {
			t.Errorf("%q: the completion is open: %v", text, got)
		}
	}
}
