package diff

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

func read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGolden(t *testing.T) {
	d := Parse(read(t, "change.diff"))
	for _, width := range []int{40, 80, 200} {
		var b strings.Builder
		for _, rows := range d.Fold(width, 0, d.Len()) {
			for _, r := range rows {
				fmt.Fprintln(&b, r)
			}
		}
		golden.Text(t, "change."+strconv.Itoa(width), b.String())
	}
}

// The bytes for a terminal, with the escape character written as ␛.
func TestGoldenInColour(t *testing.T) {
	d := Parse(read(t, "change.diff"))
	var b strings.Builder
	for _, r := range append(d.Rows(80, 0, d.Len()), d.Summary()) {
		fmt.Fprintln(&b, strings.ReplaceAll(row.Dark.Line(r), "\x1b", "␛"))
	}
	golden.Text(t, "change.dark", b.String())
}

func shown(d *Diff) []string {
	var out []string
	for _, r := range d.Rows(80, 0, d.Len()) {
		out = append(out, strings.TrimRight(r.String(), " "))
	}
	return out
}

func TestRows(t *testing.T) {
	for _, tc := range []struct {
		name, diff string
		want       []string
	}{
		{"nothing", "", nil},
		{"one file has no title", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", []string{"1   - a", "  1 + b"}},
		{"lines without numbers", "-a\n+b\n", []string{"    - a", "    + b"}},
		{"hunks are separated", "--- x\n+++ x\n@@ -1 +1 @@\n a\n@@ -9 +9 @@ f()\n b\n", []string{"1 1   a", "⋯ f()", "9 9   b"}},
		{"an empty line without its space", "@@ -1,2 +1,2 @@\n a\n\n", []string{"1 1   a", "2 2"}},
		{"a removed line that looks like a header", "@@ -1,2 +1 @@\n--- a\n a\n", []string{"1   - -- a", "2 1   a"}},
		{"numbers that are wrong", "@@ -1,9 +1,9 @@\n a\n+b\nrest\n+c\n", []string{"1 1   a", "  2 + b", "rest", "    + c"}},
		{"characters that are not seen are shown", "@@ -1 +1 @@\n+a\u200bb\x1b[2J\u202ec\n", []string{"  1 + a<U+200B>b<U+001B>[2J<U+202E>c"}},
		{"a renamed file", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", []string{"x → y"}},
		{"a binary file", "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n", []string{"Binary files a/x.png and b/x.png differ"}},
	} {
		if diff := cmp.Diff(tc.want, shown(Parse(tc.diff))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tc.name, diff)
		}
	}
}

func TestSummary(t *testing.T) {
	for diff, want := range map[string]string{"": "", "+a\n+b\n-c\n": "+2 −1", "+a\n": "+1", "-a\n": "−1"} {
		if got := Parse(diff).Summary().String(); got != want {
			t.Errorf("%q: %q, want %q", diff, got, want)
		}
	}
	if added, removed := Parse(read(t, "change.diff")).Counts(); added != 4 || removed != 6 {
		t.Errorf("+%d -%d, want +4 -6", added, removed)
	}
}

// A window has the rows that the whole has: the colours of a comment that began before it too.
func TestWindows(t *testing.T) {
	d := Parse(read(t, "change.diff"))
	all := d.Rows(80, 0, d.Len())
	for from := range d.Len() {
		for n := range 5 {
			if diff := cmp.Diff(all[from:min(from+n, len(all))], append([]row.Row{}, d.Rows(80, from, n)...)); diff != "" {
				t.Fatalf("%d from %d: -whole +window:\n%s", n, from, diff)
			}
		}
		if diff := cmp.Diff(all[from], d.Row(from, 80)); diff != "" {
			t.Fatalf("row %d: -whole +row:\n%s", from, diff)
		}
	}
	if rows := d.Rows(80, d.Len(), 5); len(rows) != 0 {
		t.Errorf("behind the end: %v", rows)
	}
}

func TestChanged(t *testing.T) {
	for _, tc := range []struct{ text, other, want string }{
		{"return a + b", "return a - b", "return a [+] b"},
		{"f(one, two)", "f(one)", "f(one[, two])"},
		{"same", "same", "same"},
		{"nothing in common", "1 2 3 4", "nothing in common"},
		{"x := 漢字 + é", "x := 漢 + é", "x := [漢字] + é"},
	} {
		got, at := "", 0
		for _, s := range changed(tc.text, tc.other) {
			got += tc.text[at:s.begin] + "[" + tc.text[s.begin:s.end] + "]"
			at = s.end
		}
		if got += tc.text[at:]; got != tc.want {
			t.Errorf("%q and %q: %q, want %q", tc.text, tc.other, got, tc.want)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@ f\n a\n-b c\n+b d\n \\ No\ndiff --git a/y b/y\n", 30)
	f.Add("@@ -999999999999999999999 +1,0 @@\n+\x1b]8;;x\x07\r\n", 2)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = width % 200
		d := Parse(text)
		rows := d.Rows(width, 0, d.Len())
		folded := d.Fold(width, 0, d.Len())
		if len(rows) != d.Len() || len(folded) != d.Len() {
			t.Fatalf("%d rows and %d folded lines of %d", len(rows), len(folded), d.Len())
		}
		for i, r := range rows {
			if strings.ContainsFunc(r.String(), unicode.IsControl) {
				t.Fatalf("a control character in %q", r)
			}
			indent := d.gutter(i, width).Width()
			whole := folded[i][0].String()
			for _, more := range folded[i][1:] {
				whole += more.String()[indent:]
			}
			if whole != r.String() {
				t.Fatalf("folded to %q, want %q", whole, r)
			}
		}
	})
}

// A screen of a diff of 100,000 lines, at its end.
func BenchmarkWindow(b *testing.B) {
	var text strings.Builder
	text.WriteString("--- a/x.go\n+++ b/x.go\n@@ -1,100000 +1,100000 @@\n")
	for i := range 50_000 {
		fmt.Fprintf(&text, "-\tif err := run(ctx, %d); err != nil {\n+\tif err := run(ctx, name, %d); err != nil {\n", i, i)
	}
	source := text.String()
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			Parse(source)
		}
	})
	d := Parse(source)
	b.Run("window", func(b *testing.B) {
		for b.Loop() {
			d.Rows(80, d.Len()-50, 50)
		}
	})
}
