package cell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A conversation that follows another on the screen begins with the rows of the other that were not
// shown yet, and a blank row is before its own.
func TestAConversationBelowAnother(t *testing.T) {
	first, second := New(Options{}), New(Options{})
	first.Welcome("Sidestick", "a hint")
	if got, want := texts(first.Take(80)), "Sidestick  a hint\n"; got != want {
		t.Errorf("the first rows are %q", got)
	}
	first.Warn("not shown yet")
	second.Below(first)
	second.Warn("of the second")
	if diff := cmp.Diff("\n! not shown yet\n! of the second\n", texts(second.Take(80))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	third := New(Options{})
	third.Below(second)
	third.Warn("of the third")
	if diff := cmp.Diff("\n! of the third\n", texts(third.Take(80))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	narrow := New(Options{})
	narrow.Welcome("Sidestick", "a hint that is longer")
	if diff := cmp.Diff("Sidestick\na hint that is\nlonger\n", texts(narrow.Take(16))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
