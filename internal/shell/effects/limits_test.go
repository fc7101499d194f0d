package effects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// A command beyond a limit of the analysis is asked about; below it, it is not.
func TestWhatIsBeyondALimitIsAskedAbout(t *testing.T) {
	words := func(prefix, format string) func(int) string {
		return func(n int) string {
			var b strings.Builder
			b.WriteString(prefix)
			for i := range n {
				fmt.Fprintf(&b, format, i)
			}
			return b.String()
		}
	}
	for name, tc := range map[string]struct {
		line          func(int) string
		below, beyond int
	}{
		"maxText":     {func(n int) string { return "echo " + strings.Repeat("a", n) }, 1000, 65 << 10},
		"maxPrograms": {func(n int) string { return strings.Repeat("ls;", n) }, 200, 300},
		"maxPaths":    {words("cat", " d/f%d"), 400, 600},
		"maxDepth":    {func(n int) string { return strings.Repeat("timeout 5 ", n) + "ls" }, 10, 40},
		"maxDirs":     {func(n int) string { return words("", "cd d%d || ")(n) + "cd z; ls" }, 2, 12},
	} {
		for n, want := range map[int]permit.Verdict{tc.below: permit.Allow, tc.beyond: permit.Ask} {
			if got := here().DecideIn(works(nil), understood(tc.line(n))); got.Verdict != want {
				t.Errorf("%s, %d: %v (%s), want %v", name, n, got.Verdict, got.Why, want)
			}
		}
	}
}
