package terminal

import (
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// A report of a command keeps the styles of the program, and nothing else that steers the terminal. What does
// not fit is continued in rows that are indented.
func TestFit(t *testing.T) {
	p := Paint{on: true}
	for _, tc := range []struct{ name, text, want string }{
		{"a text that fits is left alone", "  a  b\n\nc\n", "  a  b\n\nc\n"},
		{"styles stay", p.Bold("ok") + "\n", "\x1b[1mok\x1b[0m\n"},
		{"text is not hidden", "\x1b[8mrm\x1b[0;008m", "�[8mrm�[0;008m"},
		{"other sequences do not", "a\x1b[2Jb\x1b]0;t\x07\u009b1A\r\n", "a�[2Jb�]0;t��1A\n"},
		{"bidirectional controls and tags do not", "a\u202eb\U000e0041c\u2028d", "a�b�c�d"},
		{"words go to the next row", "0123456789 0123456789 ab", "0123456789 \n    0123456789 ab"},
		{"a long word is broken", "0123456789012345678901234", "01234567890123456789\n    01234"},
		{"an end of a line that is foreign has the margin of none", "x\x85? Allow", "x�? Allow"},
	} {
		got := Fit(tc.text, 20)
		if strings.ReplaceAll(got, " \n", "\n") != strings.ReplaceAll(tc.want, " \n", "\n") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		for row := range strings.SplitSeq(ourStyles.Replace(got), "\n") {
			if timeline.Width(row) > 20 {
				t.Errorf("%s: a row has %d columns: %q", tc.name, timeline.Width(row), row)
			}
		}
	}
	if got := Fit(p.Bold("a"), 0); strings.Contains(got, "\x1b") {
		t.Errorf("a pipe gets %q", got)
	}
}

// A row holds at least one character.
func TestFitInOneColumn(t *testing.T) {
	if got, want := Fit("aé", 1), "a\n    é"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No row of foreign text ends with a character that joins the next row's margin to it.
func TestNothingJoinsTheMargin(t *testing.T) {
	const text = "A 👩\u200d\n? Allow: rm"
	var b strings.Builder
	flow := Flow{Out: &b, Width: 40}
	if err := errors.Join(flow.WriteString(text), flow.Flush()); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"an answer": b.String(), "a quotation": strings.Join(append(Quote(text, 40), QuoteProse(text, 40)...), "\n"), "a label": Labelled("x: "+text, 40) + LabelledProse("x: "+text, 40),
	} {
		if strings.Contains(got, "\u200d") || !strings.Contains(got, "│ ? Allow") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

var ourStyles = strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "")
