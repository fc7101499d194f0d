package markdown

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// stream cuts a text into pieces of so many bytes, and asks for the tail after each of them.
func stream(source string, size, width int) []row.Row {
	var s Stream
	var rows []row.Row
	for i := 0; source != ""; i++ {
		n := min(size, len(source))
		s.Write(source[:n])
		source = source[n:]
		rows = append(rows, s.Take(width)...)
		if i%7 == 0 {
			s.Tail(width)
		}
	}
	s.Finish()
	return append(rows, s.Take(width)...)
}

func TestAStreamHasTheRowsOfTheWhole(t *testing.T) {
	source := read(t, "testdata/answer.md")
	for _, width := range []int{20, 40, 80} {
		whole := Rows(source, width)
		for _, size := range []int{1, 2, 3, 7, 64, 333} {
			if diff := cmp.Diff(whole, stream(source, size, width)); diff != "" {
				t.Errorf("in pieces of %d at %d: -whole +stream:\n%s", size, width, diff)
			}
		}
	}
}

// Final shows which rows are final at a point of the text, and which may still change.
func TestFinal(t *testing.T) {
	for _, tc := range []struct{ name, source, final, tail string }{
		{"a paragraph may become a heading", "one\ntwo\n", "", "one two"},
		{"a blank line ends it", "one\n\n", "one", ""},
		{"a heading is final when its line ends", "# one\n", "one", ""},
		{"a heading that is being written", "# on", "", "on"},
		{"an item ends with the next", "- a\n- b\n", "• a", "• b"},
		{"an item of an outer list", "1. a\n   - b\n2. c\n", "1. a\n   • b", "2. c"},
		{"lines of code are final one by one", "```go\na\nb\nc", "a\nb", "c"},
		{"blank lines of code wait for the next line", "```\na\n\n\n", "a", ""},
		{"and are part of the code", "```\na\n\n\n```\n", "a\n\n", ""},
		{"also in a list", "- x\n  ```\n  a\n  b\n", "• x\n\na\nb", ""},
		{"a mark that may close the fence is held", "```\na\n``", "a", ""},
		{"a table grows", "| a | b |\n|---|---|\n| 1 | 2 |\n", "", "a │ b\n──┼──\n1 │ 2"},
		{"a line that is none ends it", "| a |\n|---|\n| 1 |\ntext\n", "a\n─\n1", "\ntext"},
		{"a line that may be the head is held", "a | b\n", "", "a | b"},
		{"a quote as the blocks in it", "> a\n>\n> b\n", "│ a", "│\n│ b"},
		{"a reference is not looked up", "[a][b]\n\n[b]: https://x.example\n\n", "[a][b]\n\n[b]: https://x.example", ""},
		{"a rule", "a\n\n---\n", "a\n\n────────────────────────", ""},
		{"a line that may become a heading is not shown as one", "a\n--", "", "a"},
	} {
		var s Stream
		s.Write(tc.source)
		if got := joined(s.Take(80)); got != tc.final {
			t.Errorf("%s: final:\n%s\nwant:\n%s", tc.name, got, tc.final)
		}
		if got := joined(s.Tail(80)); got != tc.tail {
			t.Errorf("%s: tail:\n%s\nwant:\n%s", tc.name, got, tc.tail)
		}
	}
}

// A table that becomes long is final up to there; later rows keep its columns, also after the width has changed.
func TestALongTable(t *testing.T) {
	var s Stream
	s.Write("| n | text |\n|--:|---|\n")
	s.Write(strings.Repeat("| 1 | abc |\n", maxFree))
	if rows := s.Take(80); len(rows) != maxFree+2 || len(s.Tail(80)) != 0 {
		t.Fatalf("%d rows are final, %d are not", len(rows), len(s.Tail(80)))
	}
	s.Write("| 22 | longer words |\n")
	if got, want := joined(s.Take(60)), "  22 │ long\n     │ er\n     │ word\n     │ s"; got != want {
		t.Errorf("a later row:\n%s\nwant:\n%s", got, want)
	}
}

// Rows that were taken at one width stay, and the rest has the next width: no word is lost or doubled.
func TestTheWidthChanges(t *testing.T) {
	source := read(t, "testdata/answer.md")
	var s Stream
	var got strings.Builder
	for i := 0; source != ""; i++ {
		n := min(50, len(source))
		s.Write(source[:n])
		source = source[n:]
		got.WriteString(joined(s.Take(60+i%30)) + "\n")
	}
	s.Finish()
	got.WriteString(joined(s.Take(80)))
	words := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '│' || r == '─' || r == '┼' }), "")
	}
	whole := words(joined(Rows(read(t, "testdata/answer.md"), 200)))
	if len(words(got.String())) != len(whole) {
		t.Errorf("the text has %d bytes, want %d", len(words(got.String())), len(whole))
	}
}

func FuzzStream(f *testing.F) {
	if b, err := os.ReadFile("testdata/answer.md"); err == nil {
		f.Add(string(b), 7, 60)
	}
	f.Add("- a\n\t- b\n\n> c\r\n```\n\tx\n", 1, 5)
	f.Add("|a|b|\n|-|:-:|\n|`x\\|y`|漢字|\n\n[x](javascript:a) ![](b) &#27;[2J <b>\n", 2, 30)
	f.Fuzz(func(t *testing.T, source string, size, width int) {
		size, width = max(size%100, 1), max(width%120, 2)
		whole, pieces := Rows(source, width), stream(source, size, width)
		if !slices.EqualFunc(whole, pieces, slices.Equal) {
			t.Fatalf("-whole +stream:\n%s", cmp.Diff(whole, pieces))
		}
		check(t, source, whole, width)
	})
}

// check fails if a row can harm a terminal, or if one of prose is too wide.
func check(t *testing.T, source string, rows []row.Row, width int) {
	t.Helper()
	for _, r := range rows {
		for _, s := range r {
			if s.Text == "" || strings.ContainsFunc(s.Text, unicode.IsControl) || strings.ContainsFunc(s.Link, unicode.IsControl) {
				t.Fatalf("the span %+v", s)
			}
		}
	}
	for _, b := range blocks(source) {
		var r renderer
		for _, row := range r.block(nil, &b, width) {
			if b.kind != codeLine && row.Width() > width && width >= 2 {
				t.Fatalf("a row of %d columns at %d: %q", row.Width(), width, row)
			}
		}
	}
}

func blocks(source string) []block {
	var s Stream
	s.Write(source)
	s.Finish()
	return s.reader.out
}

func joined(rows []row.Row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
