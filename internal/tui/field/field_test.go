package field

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// press presses keys, which are separated by spaces.
func press(f *Field, keys string) {
	for name := range strings.FieldsSeq(keys) {
		k := input.Key{Name: name}
		if utf8.RuneCountInString(name) == 1 {
			k.Text = name
		}
		if name == "space" {
			k.Text = " "
		}
		f.Key(k)
	}
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"a b c", "abc|"},
		{"a b left c", "ac|b"},
		{"a b home x end y", "xaby|"},
		{"漢 字 left backspace", "|字"},
		{"a b ctrl+a delete", "|b"},
		{"a b ctrl+a ctrl+d ctrl+d ctrl+d", "|"},
		{"backspace left right", "|"},
		{"a b space c d space ctrl+w", "ab |"},
		{"a b space c d alt+b alt+b alt+d", "| cd"},
		{"a b space c d ctrl+u", "|"},
		{"a b space c d alt+b ctrl+k x", "ab x|"},
		{"a b . c home alt+f", "ab|.c"},
		{"a ctrl+q alt+x f5 up", "a|"},
	} {
		var f Field
		press(&f, tc.keys)
		if got := f.text[:f.caret] + "|" + f.text[f.caret:]; got != tc.want {
			t.Errorf("%q: %q, want %q", tc.keys, got, tc.want)
		}
	}
}

// A character of several code points is one for the keys.
func TestCharactersStayWhole(t *testing.T) {
	var f Field
	f.Set("e\u0301👍🏽👨‍👩‍👧")
	for _, want := range []string{"e\u0301👍🏽", "e\u0301", ""} {
		if press(&f, "backspace"); f.Text() != want {
			t.Errorf("%q, want %q", f.Text(), want)
		}
	}
}

func TestPaste(t *testing.T) {
	var f Field
	f.Set("ac")
	press(&f, "left")
	f.Paste("b\r\n\x1b[2J\u009b\x00d\te")
	if want := "ab  [2Jd ec"; f.Text() != want {
		t.Errorf("%q, want %q", f.Text(), want)
	}
	f.Paste(strings.Repeat("漢", limit))
	if n := len(f.Text()); n > limit || !utf8.ValidString(f.Text()) {
		t.Errorf("%d bytes", n)
	}
	f.Set(strings.Repeat("x", 2*limit))
	if len(f.Text()) != limit {
		t.Errorf("%d bytes were set", len(f.Text()))
	}
}

func TestRow(t *testing.T) {
	var f Field
	f.Set("0123456789")
	for _, tc := range []struct {
		width int
		want  string
		caret int
	}{{20, "0123456789", 10}, {11, "0123456789", 10}, {10, "123456789", 9}, {4, "789", 3}, {1, "", 0}} {
		r, caret := f.Row(tc.width, row.Plain)
		if r.String() != tc.want || caret != tc.caret {
			t.Errorf("at %d: %q, %d, want %q, %d", tc.width, r, caret, tc.want, tc.caret)
		}
	}
	f.Key(input.Key{Name: "home"})
	if r, caret := f.Row(4, row.Plain); r.String() != "0123" || caret != 0 {
		t.Errorf("at the beginning: %q, %d", r, caret)
	}
}

// Whatever is typed, the text is valid and has no controls, and the caret is in the row.
func FuzzField(f *testing.F) {
	f.Add("abc\x01\x02漢", uint8(3))
	f.Fuzz(func(t *testing.T, keys string, width uint8) {
		keys = keys[:min(len(keys), 1000)]
		var field Field
		names := []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+w", "alt+d", "ctrl+u", "alt+b", "alt+f"}
		for _, c := range keys {
			if int(c) < len(names) {
				field.Key(input.Key{Name: names[c]})
			} else {
				field.Key(input.Key{Name: string(c), Text: string(c)})
			}
			if !utf8.ValidString(field.Text()) || row.Harmless(field.Text()) != field.Text() {
				t.Fatalf("the text %q", field.Text())
			}
			w := max(int(width), 1)
			if r, caret := field.Row(w, row.Plain); r.Width() > w || caret < 0 || caret >= w {
				t.Fatalf("at %d: %q, the caret at %d", w, r, caret)
			}
		}
	})
}
