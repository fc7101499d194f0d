package front

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// The key of the next view always shows another comparison, whatever was named after /diff; one that is
// not possible is left out.
func TestTheNextComparison(t *testing.T) {
	for _, tc := range []struct {
		first    string
		possible map[string]string // the comparison that is made for each mode
		want     []string
	}{
		{"", map[string]string{"session": "session", "unstaged": "unstaged", "branch": "branch"}, []string{"session", "unstaged", "branch", "session"}},
		{"session", map[string]string{"session": "session", "unstaged": "unstaged", "branch": "branch"}, []string{"session", "unstaged", "branch"}},
		{"branch", map[string]string{"session": "session", "unstaged": "unstaged", "branch": "branch"}, []string{"branch", "session"}},
		{"", map[string]string{"session": "unstaged", "unstaged": "unstaged", "branch": "branch"}, []string{"unstaged", "branch", "unstaged"}},
		{"", map[string]string{"session": "session", "unstaged": "unstaged", "branch": "unstaged"}, []string{"session", "unstaged", "session"}},
	} {
		shown := ""
		read := func(_ context.Context, mode string) (operate.Diff, error) {
			if mode == "" {
				mode = "session"
			}
			shown = tc.possible[mode]
			return operate.Diff{Mode: shown}, nil
		}
		e, err := desk{keys: keymap.Default()}.review(t.Context(), tc.first, read)
		for i, want := range tc.want {
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				e = press(t, e.Pick, "tab")
			}
			if shown != want {
				t.Errorf("%q %v: %d is %s, want %s", tc.first, tc.possible, i, shown, want)
			}
		}
	}
}
