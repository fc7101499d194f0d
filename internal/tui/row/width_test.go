package row

import (
	"strings"
	"testing"
)

// Terminals give each mark of a long cluster its own columns; a row never needs more than was
// measured.
func TestLongClustersAreMeasuredByTheirRunes(t *testing.T) {
	for text, each := range map[string]int{"\uff9e": 1, "\u0903": 1, "\u1100": 2, "\U0001f3fb": 2, "\u0915\u094d": 1, "\u0600": 1, "\u3248": 2, "\u4dc0": 2, "\u0890": 1, "\U000110cd": 1} {
		for _, n := range []int{3, 12, 1900} {
			long := "a" + strings.Repeat(text, n)
			if got := Width(long); got < n*each {
				t.Errorf("%U × %d is measured as %d columns", []rune(text), n, got)
			}
			for _, rows := range [][]Row{Text(long).Fold(20), Text(long).Wrap(20, nil)} {
				all := ""
				for _, r := range rows {
					if r.Width() > 20 || runes(r.String()) > 21 {
						t.Errorf("%U × %d: a row of %d columns: %q", []rune(text), n, runes(r.String()), r)
					}
					all += r.String()
				}
				if all != long {
					t.Errorf("%U × %d: text was lost", []rune(text), n)
				}
			}
		}
	}
}

// A chain of emoji is broken at the same places wherever a row begins.
func TestLongChainsOfEmoji(t *testing.T) {
	chain := strings.Repeat("👩\u200d", 40)
	if got := Width(chain); got != 20 {
		t.Errorf("a chain is measured as %d columns", got)
	}
	for _, r := range Text(chain).Fold(6) {
		if r.Width() > 6 {
			t.Errorf("a row of %d columns: %q", r.Width(), r)
		}
	}
}

// runes is the columns of a text at a terminal that knows no clusters.
func runes(text string) (n int) {
	for _, r := range text {
		n += alone(r)
	}
	return n
}

func TestWidthOfUsualCharacters(t *testing.T) {
	for text, want := range map[string]int{
		"plain": 5, "e\u0301": 1, "漢": 2, "한": 2, "\u1112\u1161\u11ab": 2, "👨‍👩‍👧‍👦": 2, "👍🏻": 2, "👩🏽‍🚀": 2, "❤️": 2, "1️⃣": 2, "🇩🇪": 2, "🏴󠁧󠁢󠁥󠁮󠁧󠁿": 2, "हिन्दी": 5, "न": 1, "\x1b": 0, "": 0,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

// A mark more than any letter has costs no more than a letter.
func BenchmarkFoldOfOneCluster(b *testing.B) {
	r := Text("a" + strings.Repeat("\uff9e", 100_000))
	for b.Loop() {
		r.Fold(80)
	}
}
