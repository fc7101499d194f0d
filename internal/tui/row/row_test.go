package row

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func lines(rows []Row) (out []string) {
	for _, r := range rows {
		out = append(out, r.String())
	}
	return out
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text    string
		width   int
		further string
		want    []string
	}{
		{"", 10, "", []string{""}},
		{"one two three", 7, "", []string{"one two", "three"}},
		{"one two  three", 8, "  ", []string{"one two", "  three"}},
		{"unbreakable word", 6, "", []string{"unbrea", "kable", "word"}},
		{"  indented text", 10, "  ", []string{"  indented", "  text"}},
		{"漢字漢字", 5, "", []string{"漢字", "漢字"}},
		{"family 👨‍👩‍👧 here", 9, "", []string{"family 👨‍👩‍👧", "here"}},
		{"e\u0301te\u0301 a", 3, "", []string{"e\u0301te\u0301", "a"}},
		{"trailing ", 20, "", []string{"trailing"}},
		{"a b", 1, "      ", []string{"a", "b"}},
		{"使用 go build 命令。", 8, "", []string{"使用 go", "build 命", "令。"}},
		{"here 漢字 and", 8, "", []string{"here 漢", "字 and"}},
	} {
		got := lines(Text(tc.text).Wrap(tc.width, Text(tc.further)))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q at %d: -want +got:\n%s", tc.text, tc.width, diff)
		}
	}
}

// Words of one style are one piece, so that a theme writes the style once.
func TestWrapKeepsPieces(t *testing.T) {
	rows := Of("one two three four", Bold).Wrap(9, nil)
	if diff := cmp.Diff([]Row{{{Text: "one two", Style: Bold}}, {{Text: "three", Style: Bold}}, {{Text: "four", Style: Bold}}}, rows); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// A word of several pieces stays together, and the pieces keep their styles.
func TestWrapKeepsStyles(t *testing.T) {
	r := Text("see ").And("bold", Bold).And("er", Plain).And(" end", Dim)
	want := []Row{
		{{Text: "see"}},
		{{Text: "bold", Style: Bold}, {Text: "er"}},
		{{Text: "end", Style: Dim}},
	}
	if diff := cmp.Diff(want, r.Wrap(7, nil)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

func TestFoldAndCut(t *testing.T) {
	if diff := cmp.Diff([]string{"ab ", "漢c", "👍🏽"}, lines(Text("ab 漢c👍🏽").Fold(3))); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if diff := cmp.Diff([]string{"echo all is ", "well && wordwo", "rdwordword"}, lines(Text("echo all is well && wordwordwordword").FoldWords(14))); diff != "" {
		t.Error("behind words: -want +got:\n" + diff)
	}
	for width, want := range map[int]string{0: "", 1: "…", 3: "ab…", 4: "ab漢", 9: "ab漢"} {
		if got := Text("ab漢").Cut(width).String(); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
	if got := Expand("a\tb\t\tc"); got != "a       b               c" {
		t.Errorf("tabs: %q", got)
	}
	if got := Expand("\tx"); got != "        x" {
		t.Errorf("a first tab: %q", got)
	}
}

// Whatever a text holds, the theme writes no control character but its own.
func TestThemeIsHarmless(t *testing.T) {
	r := Row{{Text: "a\x1b[2Jb\u009b1m\x07\n", Style: Added | Bold}, {Text: "link", Link: "https://a.example/\x1b]0;x\x07"}, {Text: "ok", Link: "https://a.example"}}
	want := "\x1b[32;1ma\ufffd[2Jb\ufffd1m\ufffd\ufffd\x1b[0mlink\x1b]8;;https://a.example\x1b\\ok\x1b]8;;\x1b\\"
	if got := Dark.Line(r); got != want {
		t.Errorf("dark: %q, want %q", got, want)
	}
	if got := (&Theme{}).Line(r[:1]); got != "a\ufffd[2Jb\ufffd1m\ufffd\ufffd" {
		t.Errorf("without styles: %q", got)
	}
}

func FuzzRows(f *testing.F) {
	f.Add("one 漢字 👨‍👩‍👧 two", 5)
	f.Add("\x00\xff e\u0301", 1)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = max(width%300, 2)
		text = strings.ReplaceAll(text, "\n", " ")
		for _, r := range Text(text).Wrap(width, Text("  ")) {
			if r.Width() > width {
				t.Fatalf("a row of %d columns: %q", r.Width(), r)
			}
		}
		folded := strings.Join(lines(Text(text).Fold(width)), "")
		if folded != text {
			t.Fatalf("folded to %q", folded)
		}
		if folded := strings.Join(lines(Text(text).FoldWords(width)), ""); folded != text {
			t.Fatalf("folded behind words to %q", folded)
		}
		if line := Mono.Line(Text(text)); !utf8.ValidString(line) || strings.ContainsFunc(line, control) {
			t.Fatalf("the line %q", line)
		}
	})
}

// A style is that of a role, or has attributes: the bits of one role in another one do not count.
func TestIs(t *testing.T) {
	for _, tc := range []struct {
		style, other Style
		want         bool
	}{
		{Comment, Warning, false},
		{Warning, Warning, true},
		{Warning | Bold, Warning, true},
		{Warning, Warning | Bold, false},
		{Warning | Bold, Bold, true},
		{Bold | Dim, Bold | Dim, true},
		{Bold, Bold | Dim, false},
		{Warning, Bold, false},
		{Warning, Plain, false},
		{Plain | Bold, Plain, true},
	} {
		if got := tc.style.Is(tc.other); got != tc.want {
			t.Errorf("%x is %x: %v", tc.style, tc.other, got)
		}
	}
}

// BenchmarkFold folds a line of a command that has a colour for each of its 64,000 characters: the cost
// grew with the square of their number, and was 15 seconds.
func BenchmarkFold(b *testing.B) {
	var r Row
	for i := range 64_000 {
		r = append(r, Span{Text: "x", Style: Style(i % 2)})
	}
	for b.Loop() {
		if n := len(r.Fold(80)); n != 800 {
			b.Fatalf("%d rows", n)
		}
	}
}
