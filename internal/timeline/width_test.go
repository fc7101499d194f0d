package timeline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "äöü": 3, "a\u0308": 1, "日本語": 6, "한국": 4, "🙂": 2, "✅": 2, "…−→·": 4, "ｆｕｌｌ": 8, "e\u200d": 1, "│": 1,
	} {
		if got := timeline.Width(text); got != want {
			t.Errorf("%q is %d columns wide, want %d", text, got, want)
		}
	}
}

// A character has at least the columns that any terminal gives it, or a row that we count as fitting is broken
// by the terminal, left of the margin.
func TestNoCharacterIsWiderThanItIsCounted(t *testing.T) {
	for text, least := range map[string]int{
		"\u4dc0": 2, "\u4dff": 2, "\u3248": 2, "\u0600": 1, "\u0605": 1, "\u06dd": 1, "\u070f": 1, "\u0890": 1, "\u0891": 1, "\u08e2": 1,
		"\U000110bd": 1, "\U000110cd": 1, "\u2600\ufe0f": 2, "\U0001f1e6": 2,
	} {
		if got := timeline.Width(text); got < least {
			t.Errorf("%+q is %d columns wide, but there are terminals that give it %d", text, got, least)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"what fits stays", "1234567890", "1234567890"},
		{"what does not is cut, and says so", "12345678901", "123456789…"},
		{"lines are joined", " a\n\tb  c ", "a b c"},
		{"runes are counted, not bytes", "ααααααααααα", "ααααααααα…"},
		{"columns are counted, not runes", "日本語日本語", "日本語日…"},
		{"nothing steers the terminal", "\x1b[2Jx\x9b", "�[2Jx�"},
		{"nothing is read backwards", "a\u202eb\u2066", "a�b�"},
		{"a line end of Windows is one", "a\r\nb", "a b"},
		{"a very long one is cut anywhere", strings.Repeat("é", 1000), "ééééééééé…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := timeline.OneLine(tc.in, 10); got != tc.want {
				t.Errorf("OneLine(%q, 10) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"between words", "one two three", []string{"one two", "three"}},
		{"what fits exactly stays", "12345 7890", []string{"12345 7890"}},
		{"a word alone in its line is cut", "x 1234567890123", []string{"x", "1234567890", "123"}},
		{"what follows goes beside its end", "1234567890123 x", []string{"1234567890", "123 x"}},
		{"an indent stays", "  - one two three", []string{"  - one", "  two", "  three"}},
		{"wide characters are counted", "日本 語日 本語", []string{"日本 語日", "本語"}},
		{"nothing is a line", "", []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, timeline.Wrap(tc.in, 10)); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}

func TestFold(t *testing.T) {
	if diff := cmp.Diff([]string{"日本", " 語a", "bc"}, timeline.Fold("日本 語abc", 4)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff([]string{""}, timeline.Fold("", 4)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// However text is laid out, no row is too wide and no character of it is lost.
func FuzzLayout(f *testing.F) {
	f.Add("some words in 日本語 and a veryveryverylongword", 12)
	f.Add("\t\t  x\u0301\u0301 y", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = strings.Join(strings.FieldsFunc(timeline.Harmless(text), func(r rune) bool { return r == '\n' }), " ")
		width = 2 + int(uint(width)%200)
		folded := timeline.Fold(text, width)
		if got := strings.Join(folded, ""); got != strings.ToValidUTF8(text, "\ufffd") && got != text {
			t.Errorf("Fold(%q, %d) loses something: %q", text, width, folded)
		}
		wrapped := timeline.Wrap(text, width)
		if got, want := words(strings.Join(wrapped, " ")), words(text); got != want {
			t.Errorf("Wrap(%q, %d) = %q, which says %q and not %q", text, width, wrapped, got, want)
		}
		for _, row := range append(append(folded, wrapped...), timeline.Cut(text, width)) {
			if w := timeline.Width(row); w > width+width/2 || w > width && width > 8 {
				t.Errorf("a row of %q in %d columns has %d: %q", text, width, w, row)
			}
		}
	})
}

// words is a text without the space between them: a word that is cut gets some.
func words(s string) string { return strings.Join(strings.Fields(s), "") }
