package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// presses types keys into a line and returns the effect of the last one.
func presses(l *line, keys string) (v verdict) {
	for b := []byte(keys); len(b) > 0; {
		k, n := nextKey(b)
		if n == 0 {
			return v
		}
		b = b[n:]
		v = l.press(k)
	}
	return v
}

// A bar marks the cursor in want.
func TestEditing(t *testing.T) {
	for _, tc := range []struct{ name, keys, want string }{
		{"characters", "añ日🙂", "añ日🙂|"},
		{"in the middle", "ac\x1b[Db", "ab|c"},
		{"home and end", "b\x01a\x1b[Fc\x1b[H", "|abc"},
		{"no further than the ends", "ab\x1b[C\x1b[D\x1b[D\x1b[D\x1b[D", "|ab"},
		{"backspace", "ab日\x7f\x08", "a|"},
		{"backspace at the beginning", "ab\x01\x7f", "|ab"},
		{"delete", "abc\x01\x1b[3~\x04", "|c"},
		{"delete at the end", "abc\x1b[3~\x04", "abc|"},
		{"a word back", "one two\x17", "one |"},
		{"words and spaces", "one two  \x1b\x7f", "one |"},
		{"by words", "one two\x1bb\x1b[1;5D\x1bf", "one| two"},
		{"to the beginning", "one two\x1bb\x15", "|two"},
		{"to the end", "one two\x1bb\x0b", "one |"},
		{"unknown keys", "a\x1b[99;5u\x1bOQ\x1bzb\x00\x1f", "ab|"},
		{"invalid UTF-8", "a\xffb", "a\ufffdb|"},
		{"history", "x\x1b[A\x1b[A\x1b[A\x10\x0e", "second|"},
		{"and back to what was typed", "dra\x1b[A\x1b[A\x1b[B\x1b[B\x1b[Bft", "draft|"},
		{"a pasted text", "a\x1b[200~b\rc\r\nd\x03\te\x1b[201~f", "ab\nc\nd\tef|"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &line{history: []string{"first", "second"}}
			presses(l, tc.keys)
			if got := string(l.text[:l.at]) + "|" + string(l.text[l.at:]); got != tc.want {
				t.Errorf("%q gives %q, want %q", tc.keys, got, tc.want)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	for _, tc := range []struct {
		keys string
		want verdict
	}{
		{"a\r", entered},
		{"a\n", entered},
		{"\x03", interrupted},
		{"a\x03", interrupted},
		{"\x04", ended},
		{"a\x04", goesOn},
		{"\x0c", cleared},
		{"\x1b[200~\r", goesOn},
		{"\x1b[200~\x03", goesOn},
		{"\x1b", goesOn},
	} {
		if got := presses(&line{}, tc.keys); got != tc.want {
			t.Errorf("%q comes to %d, want %d", tc.keys, got, tc.want)
		}
	}
}

// The cursor is always in the visible part of a line.
func TestView(t *testing.T) {
	for _, tc := range []struct {
		name, keys, want string
		cursor           int
	}{
		{"a short line", "abc", "abc", 3},
		{"the end of a long one", "abcdefghijkl", "defghijkl", 9},
		{"its beginning", "abcdefghijkl\x01", "abcdefghi", 0},
		{"wide characters", "日本語日本語", "語日本語", 8},
		{"line ends", "\x1b[200~a\rb\tc\x1b[201~", "a⏎b c", 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &line{}
			presses(l, tc.keys)
			if text, cursor := l.view(10); text != tc.want || cursor != tc.cursor {
				t.Errorf("shows %q with the cursor at %d, want %q, %d", text, cursor, tc.want, tc.cursor)
			}
		})
	}
}

// No keys break the line or move the cursor out of it, and the visible part fits.
func FuzzLine(f *testing.F) {
	f.Add("a\x1b[A\x1b[B日本\x01\x0b\x1b[200~x\r\x1b[201~", 12)
	f.Add("\x1b\x1b\x1b[[[;;;;;;;;;;;;;;;;;;;;;\x17\x7f\x04", 4)
	f.Fuzz(func(t *testing.T, keys string, width int) {
		width = 4 + int(uint(width)%100)
		l := &line{history: []string{"one", "two\nlines"}}
		presses(l, keys)
		text, cursor := l.view(width)
		if l.at < 0 || l.at > len(l.text) || cursor < 0 || cursor > timeline.Width(text) || timeline.Width(text) >= width {
			t.Errorf("%q in %d columns: at %d of %d; shows %q with the cursor at %d", keys, width, l.at, len(l.text), text, cursor)
		}
		if strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("%q shows %q", keys, text)
		}
	})
}

func TestFlow(t *testing.T) {
	for _, tc := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"lines are broken between words", []string{"one two three"}, "│ one two\n│ three"},
		{"whatever the pieces are", []string{"on", "e t", "wo thr", "ee fo", "ur"}, "│ one two\n│ three\n│ four"},
		{"a line end is one", []string{"one\n", "two"}, "│ one\n│ two"},
		{"so are blank lines and indents", []string{"one\n\n  two\n"}, "│ one\n\n│   two\n"},
		{"code is broken only where it does not fit", []string{"```go\nx := one + two\n```\none two three"}, "│ ```go\n│ x := one\n│  + two\n│ ```\n│ one two\n│ three"},
		{"wide characters are counted", []string{"日本 語日 本語"}, "│ 日本\n│ 語日\n│ 本語"},
		{"a long piece without spaces is broken", []string{"123456789012345"}, "│ 12345678\n│ 9012345"},
		{"the selector of emoji may need a column", []string{"❤️❤️❤️❤️❤️"}, "│ ❤️❤️❤️❤️\n│ ❤️"},
		{"nothing steers the terminal", []string{"a\x1b[2J"}, "│ a�[2J"},
		{"the margin cannot be left", []string{"a\r\nb\rc\u2028d\u0085"}, "│ a\n│ b�c�d�"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			f := &Flow{Out: &out, Width: 10}
			for _, p := range tc.pieces {
				if err := f.WriteString(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Error("-want +got:\n" + diff)
			}
		})
	}
}
