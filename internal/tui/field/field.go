// Package field has a text field of one line, for filters, searches and names. The input box of
// messages is another part, which has several lines. It has one file.
package field

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// limit bounds the text, in bytes: it is a word or a name, and not a document.
const limit = 4 << 10

// Field is the text and the caret. The zero value is an empty field.
type Field struct {
	text  string
	caret int // in bytes, at the beginning of a character
}

// Text is the text. It has no control characters.
func (f *Field) Text() string { return f.text }

// Set replaces the text, with the caret behind it.
func (f *Field) Set(text string) {
	f.text = clean(text)
	f.caret = len(f.text)
}

// Paste inserts text. Line breaks become spaces.
func (f *Field) Paste(text string) {
	text = clean(text)
	if n := limit - len(f.text); len(text) > n {
		text = strings.ToValidUTF8(text[:max(n, 0)], "")
	}
	f.text = f.text[:f.caret] + text + f.text[f.caret:]
	f.to(f.caret + len(text))
}

// to moves the caret. A change can make one character of two: the caret is behind it then, and not
// inside.
func (f *Field) to(caret int) {
	f.caret = 0
	for g := range row.Graphemes(f.text) {
		if f.caret >= caret {
			return
		}
		f.caret += len(g)
	}
}

// clean is a text as one line without control characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return text
}

// Key edits the text, with the keys of readline. It reports whether the key is one of the field's.
func (f *Field) Key(k input.Key) bool {
	switch k.Name {
	case "left", "ctrl+b":
		f.caret = f.before()
	case "right", "ctrl+f":
		f.caret = f.after()
	case "home", "ctrl+a":
		f.caret = 0
	case "end", "ctrl+e":
		f.caret = len(f.text)
	case "alt+b", "ctrl+left", "alt+left":
		f.to(f.wordBefore())
	case "alt+f", "ctrl+right", "alt+right":
		f.to(f.wordAfter())
	case "backspace":
		f.cut(f.before(), f.caret)
	case "delete", "ctrl+d":
		f.cut(f.caret, f.after())
	case "ctrl+w", "alt+backspace":
		f.cut(f.wordBefore(), f.caret)
	case "alt+d":
		f.cut(f.caret, f.wordAfter())
	case "ctrl+u":
		f.cut(0, f.caret)
	case "ctrl+k":
		f.cut(f.caret, len(f.text))
	default:
		if k.Text == "" || strings.HasPrefix(k.Name, "ctrl+") || strings.HasPrefix(k.Name, "alt+") {
			return false
		}
		f.Paste(k.Text)
	}
	return true
}

func (f *Field) cut(from, to int) {
	f.text = f.text[:from] + f.text[to:]
	f.to(from)
}

// before and after are the ends of the character at the caret.
func (f *Field) before() int {
	at := 0
	for g := range row.Graphemes(f.text[:f.caret]) {
		at += len(g)
		if at == f.caret {
			return at - len(g)
		}
	}
	return 0
}

func (f *Field) after() int {
	for g := range row.Graphemes(f.text[f.caret:]) {
		return f.caret + len(g)
	}
	return f.caret
}

func (f *Field) wordBefore() int {
	head := strings.TrimRightFunc(f.text[:f.caret], notWord)
	i := strings.LastIndexFunc(head, notWord)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(head[i:])
	return i + n
}

func (f *Field) wordAfter() int {
	tail := f.text[f.caret:]
	skipped := len(tail) - len(strings.TrimLeftFunc(tail, notWord))
	if n := strings.IndexFunc(tail[skipped:], notWord); n >= 0 {
		return f.caret + skipped + n
	}
	return len(f.text)
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// Row shows the field in at most width columns, and the column of the caret. A text that is too
// long is cut such that the caret is seen.
func (f *Field) Row(width int, style row.Style) (r row.Row, caret int) {
	width = max(width, 1)
	head, before := 0, 0 // what is before the caret
	for g, w := range row.Graphemes(f.text) {
		if before == f.caret {
			break
		}
		before += len(g)
		head += w
	}
	from := 0
	for g, w := range row.Graphemes(f.text) {
		if head < width {
			break
		}
		from += len(g)
		head -= w
	}
	room, to := width, from
	for g, w := range row.Graphemes(f.text[from:]) {
		if room -= w; room < 0 {
			break
		}
		to += len(g)
	}
	return row.Of(f.text[from:to], style), head
}
