package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// longest bounds one character as the user sees it, in bytes. Characters with more marks than
// that are taken for several. The longest emoji has 35.
const longest = 128

// next is the end of the character that begins at a byte of a line.
func next(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	if s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	if r, n := utf8.DecodeRuneInString(s[at:]); isAtom(r) {
		return at + n
	}
	part := s[at:]
	if len(part) > longest {
		n := longest
		for !utf8.RuneStart(part[n]) {
			n--
		}
		part = part[:n]
	}
	for g := range row.Graphemes(part) {
		if i := strings.IndexFunc(g, isAtom); i > 0 {
			return at + i
		}
		return at + len(g)
	}
	return len(s)
}

// previous is the beginning of the character that ends at a byte of a line. from is the beginning of a
// character at or before it, near it if that can be.
func previous(s string, from, at int) int {
	if at >= 2 && s[at-1] < utf8.RuneSelf && s[at-2] < utf8.RuneSelf {
		return at - 1
	}
	for i := from; i < at; {
		n := next(s, i)
		if n >= at {
			return i
		}
		i = n
	}
	return from
}

// shown is what a character is shown as in a column, and how many columns that takes. A tab goes
// up to the next tab stop.
func shown(g string, column, width int) (string, int) {
	if len(g) == 1 && g[0] >= 0x20 && g[0] < 0x7f {
		return g, 1
	}
	if g == "\t" {
		n := min(tabStop-column%tabStop, max(width-column, 0))
		return strings.Repeat(" ", n), n
	}
	if strings.ContainsFunc(g, unseen) {
		return "\ufffd", 1
	}
	n := row.Width(g)
	switch {
	case n > width:
		return "\ufffd", 1
	case n == 0: // marks without a letter would change the width of what stands before them
		return "", 0
	}
	return g, n
}

const tabStop = 8

// unseen reports whether a character would change what stands around it: controls, and those that
// reverse the order of text.
func unseen(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// class is what a character is for moves by words.
type class uint8

const (
	space class = iota
	mark        // punctuation
	word
	atom
)

func classOf(g string) class {
	r, _ := utf8.DecodeRuneInString(g)
	switch {
	case isAtom(r):
		return atom
	case unicode.IsSpace(r):
		return space
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return word
	}
	return mark
}
