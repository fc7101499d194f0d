package markdown

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Texts without an end of a line, of a paragraph, of code, or of a list become final all the same,
// so that a frame stays cheap, and a stream has the rows of the whole.
func TestLongTexts(t *testing.T) {
	for name, source := range map[string]string{
		"a line":                strings.Repeat("one **two** three ", 3000),
		"a line without spaces": strings.Repeat("漢字", 10_000),
		"a paragraph":           strings.Repeat("one *two* three\n", 3000),
		"an item":               "- a\n\n" + strings.Repeat("  text of the item\n\n", 2000),
		"code in a quote":       "> ```c\n" + strings.Repeat("> x := 1 /* y */\n", 2000),
		"a table":               "> | a | b |\n> |---|---|\n" + strings.Repeat("> | 1 | 2 |\n", 2000),
		"a heading":             "# " + strings.Repeat("one two ", 5000),
	} {
		whole := Rows(source, 80)
		if got := stream(source, 333, 80); !slices.EqualFunc(whole, got, slices.Equal) {
			t.Errorf("%s: the stream has %d rows, the whole %d", name, len(got), len(whole))
		}
		var s Stream
		s.Write(source)
		if final := len(s.Take(80)); final < len(whole)-2*maxLine/80 {
			t.Errorf("%s: %d of %d rows are final before the end", name, final, len(whole))
		}
		letters := func(s string) int {
			return strings.Count(s, "o") + strings.Count(s, "漢") + strings.Count(s, "1") + strings.Count(s, "x")
		}
		if a, b := letters(source), letters(joined(whole)); a != b {
			t.Errorf("%s: %d letters became %d", name, a, b)
		}
	}
}

// A line of code is one row, however long it is, and only its beginning is shown while it grows.
func TestALongLineOfCode(t *testing.T) {
	var s Stream
	s.Write("```\n" + strings.Repeat("x", 100_000))
	if rows := s.Tail(80); len(rows) != 1 || rows[0].Width() != maxPreview {
		t.Errorf("the tail has %d rows", len(rows))
	}
	s.Write("\n")
	if rows := s.Take(80); len(rows) != 1 || rows[0].Width() != 100_000 {
		t.Errorf("%d rows are final", len(rows))
	}
}

// Nesting has a bound, and leaves room for text.
func TestDeepNesting(t *testing.T) {
	for _, mark := range []string{"> ", "- ", "1. ", ">"} {
		rows := Rows(strings.Repeat(mark, 500)+"word and another word", 20)
		check(t, strings.Repeat(mark, 500)+"word", rows, 20)
		if !strings.Contains(joined(rows), "word") {
			t.Errorf("%q: the text is missing:\n%s", mark, joined(rows))
		}
	}
}

// The rows have no control characters, however the text writes them.
func TestHarmless(t *testing.T) {
	for _, source := range []string{
		"\x1b[2J", "# \x1b[2J", "- \x07", "`\x1b`", "```\n\x1b[2J\r\b\n", "```\x1b\nx\n", "&#27;[2J &#x9b;1m &#8238;x", "[a](http://x/&#27;)", "<http://x/\u009b>",
		"| \x1b |\n|---|\n| &#7; |\n", "![\x1b](\x1b)", "\u202etxt", "a\\\x1b", "\xff\xfe", "~~\x7f~~", "http://x/\x1b]8;;",
	} {
		for _, r := range Rows(source, 40) {
			for _, s := range r {
				if strings.ContainsFunc(s.Text+s.Link, func(c rune) bool { return unicode.IsControl(c) || c == '\u202e' }) {
					t.Errorf("%q: the span %q, %q", source, s.Text, s.Link)
				}
			}
		}
	}
}
