package shell_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/shell"
)

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain text stays", "a\tb\nc\n", "a\tb\nc\n"},
		{"characters stay", "zażółć 漢字 🙂", "zażółć 漢字 🙂"},
		{"colours go", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m", "red rgb"},
		{"colours with colons go", "\x1b[4:3mcurly\x1b[0m", "curly"},
		{"a return overwrites", "10%\r20%\r100%\n", "100%\n"},
		{"and leaves what is longer", "abcdef\rxy", "xycdef"},
		{"which a sequence erases", "abcdef\rxy\x1b[K", "xy"},
		{"lines of a terminal", "a\r\nb\r\n", "a\nb\n"},
		{"a backspace goes back", "abd\bc", "abc"},
		{"not beyond the beginning", "\b\bx", "x"},
		{"overstrike of manual pages", "N\bNA\bA", "NA"},
		{"a title goes", "\x1b]0;my title\x07text", "text"},
		{"a title that ends the other way", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"modes go", "\x1b[?25l\x1b[?2004hx\x1b[?25h", "x"},
		{"character sets and keypads go", "\x1b(B\x1b=\x1b>x\x1b7\x1b8", "x"},
		{"a wiped screen begins a line", "one\x1b[2J\x1b[Htwo", "one\ntwo"},
		{"a move up begins a line", "one\x1b[1A\x1b[2Ktwo", "one\ntwo"},
		{"moves within a line", "abc\x1b[2DX\x1b[5GY", "aXc Y"},
		{"a column far away is bounded", "\x1b[99999999999999999999Gx", strings.Repeat(" ", 999) + "x"},
		{"a long line stays whole", strings.Repeat("0123456789", 1000), strings.Repeat("0123456789", 1000)},
		{"erase to the left", "abc\x1b[1K", "   "},
		{"erase all of the line", "abc\x1b[2K", "   "},
		{"deleted characters", "abcdef\r\x1b[2Px", "xdef"},
		{"bytes that are no text", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"control characters go", "a\x00\x01\x07\x0e\x7fb", "ab"},
		{"control characters of the second set go", "a\u009bb", "ab"},
		{"a sequence cut off by the end", "a\x1b[3", "a"},
		{"a sequence cut off by a line", "a\x1b[3\nb", "a\nb"},
		{"an escape alone", "a\x1b", "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := shell.Clean([]byte(tc.in)); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

// The worst that a program can do to Clean with all the output that is kept.
func TestCleanIsBounded(t *testing.T) {
	for _, worst := range []string{"\x1b[1K", "\x1b[2K", "\x1b[9999G", "\r\x1b[P", "\x1b]", "\x1b[9999G\n", "\x1b[9999Gx\n", "\xff"} {
		in := strings.Repeat("x", 2000) + strings.Repeat(worst, (1<<20)/len(worst))
		if got := shell.Clean([]byte(in)); len(got) > 4*len(in) {
			t.Errorf("%d bytes of %q become %d", len(in), worst, len(got))
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb", "\x1b[31mx\x1b[0m", "\x1b]0;t\x07", "\x1b", "\x1b[", "\x1b[9999;1H\x1b[5P", "\xf0\x9f", "a\b\b\x1b[2K\x1b[1K\x1b[C"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := shell.Clean([]byte(in))
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not UTF-8", in, got)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
				t.Errorf("Clean(%q) = %q holds the control %U", in, got, r)
			}
		}
		if again := shell.Clean([]byte(got)); again != got {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", in, got, again)
		}
	})
}
