package shell

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxColumn bounds how far right a cursor can be sent, so that a few bytes of
	// output do not become a line of spaces without end.
	maxColumn = 1000
	// maxLine bounds the characters that can still be written over; before them a
	// line is final. It bounds what one sequence can cost.
	maxLine = 2048
)

// Clean is output of a program as somebody would read it on a screen that only
// grows: valid UTF-8 in lines. Escape sequences (colours, titles, modes) are gone;
// what a carriage return, a backspace or a move within the line goes back over is
// overwritten; a move to another line begins a new one. Bytes that are no
// UTF-8 are U+FFFD, other control characters are left out.
func Clean(p []byte) string {
	s := screen{blanks: len(p) + maxColumn}
	for len(p) > 0 {
		n := s.plain(p)
		if n == 0 {
			n = s.control(p)
		}
		p = p[n:]
	}
	s.out.WriteString(string(s.line))
	return s.out.String()
}

// screen is the lines so far and the one that is being written.
type screen struct {
	out    strings.Builder
	line   []rune
	column int // where the next character goes, at most len(line)
	blanks int // how many more may come of moves to the right
}

// plain takes characters up to the next control, and returns how many bytes.
func (s *screen) plain(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= ' ' && p[n] != 0x7f || n < len(p) && p[n] == '\t' {
		r, size := utf8.DecodeRune(p[n:])
		if r < 0x80 || r > 0x9f { // C1 controls do nothing
			s.put(r)
		}
		n += size
	}
	return n
}

func (s *screen) put(r rune) {
	if s.column < len(s.line) {
		s.line[s.column] = r
	} else {
		s.line = append(s.line, r)
	}
	if s.column++; s.column == maxLine {
		s.out.WriteString(string(s.line))
		s.line, s.column = s.line[:0], 0
	}
}

func (s *screen) newline() {
	s.out.WriteString(string(s.line))
	s.out.WriteByte('\n')
	s.line, s.column = s.line[:0], 0
}

// control takes one control character or escape sequence, and returns how many
// bytes that is.
func (s *screen) control(p []byte) int {
	switch p[0] {
	case '\n':
		s.newline()
	case '\r':
		s.column = 0
	case '\b':
		s.column = max(s.column-1, 0)
	case 0x1b:
		n, _ := sequence(p)
		if n > 2 && p[1] == '[' {
			s.move(p[n-1], string(p[2:n-1]))
		}
		return n
	}
	return 1
}

// move acts on a control sequence as far as text depends on it.
func (s *screen) move(final byte, params string) {
	switch final {
	case 'C': // right
		s.to(s.column + number(params, 1))
	case 'D': // left
		s.to(s.column - number(params, 1))
	case 'G': // column
		s.to(number(params, 1) - 1)
	case 'K': // erase in line
		s.erase(number(params, 0))
	case 'P': // delete characters
		if s.column < len(s.line) {
			end := min(s.column+number(params, 1), len(s.line))
			s.line = append(s.line[:s.column], s.line[end:]...)
		}
	case 'A', 'B', 'E', 'F', 'H', 'f', 'd', 'J': // another line, or a screen that is wiped
		if len(strings.TrimSpace(string(s.line))) > 0 {
			s.newline()
		}
		s.line, s.column = s.line[:0], 0
	}
}

func (s *screen) to(column int) {
	s.column = min(max(column, 0), max(maxColumn, len(s.line)))
	if n := s.column - len(s.line); n > 0 {
		n = min(n, s.blanks)
		s.blanks -= n
		s.line = append(s.line, slices.Repeat([]rune{' '}, n)...)
		s.column = len(s.line)
	}
}

func (s *screen) erase(how int) {
	switch how {
	case 0:
		s.line = s.line[:min(s.column, len(s.line))]
	case 1:
		s.blank(s.column + 1)
	case 2:
		s.blank(len(s.line))
	}
}

func (s *screen) blank(n int) {
	for i := range min(n, len(s.line)) {
		s.line[i] = ' '
	}
}

// number is the first parameter of a sequence; otherwise if it has none or one
// that is no number.
func number(params string, otherwise int) int {
	n, digits := 0, 0
	for digits < len(params) && '0' <= params[digits] && params[digits] <= '9' {
		n = min(n*10+int(params[digits]-'0'), maxColumn)
		digits++
	}
	if digits == 0 || digits < len(params) && params[digits] != ';' {
		return otherwise
	}
	return n
}

// sequence is the length of the escape sequence that p begins with, and whether it
// ends there; one that does not is all of p. A byte that cannot be in a sequence
// ends it before its place.
func sequence(p []byte) (n int, ended bool) {
	if len(p) < 2 {
		return len(p), false
	}
	switch p[1] {
	case '[': // parameters and intermediates, one final byte
		return upTo(p, 2, 0x40)
	case ']', 'P', 'X', '^', '_': // a string up to BEL or ESC \
		for i := 2; i < min(len(p), maxString); i++ {
			if p[i] == 0x07 {
				return i + 1, true
			}
			if p[i] == 0x1b {
				return min(i+2, len(p)), i+1 < len(p)
			}
		}
		return min(len(p), maxString), len(p) >= maxString
	}
	return upTo(p, 1, 0x30) // intermediates, one final byte
}

// upTo is where a sequence ends whose final byte is at least final.
func upTo(p []byte, from int, final byte) (n int, ended bool) {
	for i := from; i < min(len(p), maxString); i++ {
		switch c := p[i]; {
		case c >= final && c <= 0x7e:
			return i + 1, true
		case c < 0x20 || c > 0x7e:
			return i, true
		}
	}
	return min(len(p), maxString), len(p) >= maxString
}

// maxString bounds a sequence, in bytes; what is longer is text. The longest that
// make sense are titles and links.
const maxString = 4096

// unfinished is how many bytes at the end of p belong to a sequence or a character
// that may go on in what is written next.
func unfinished(p []byte) int {
	last := p[max(0, len(p)-maxString):]
	if i := bytes.LastIndexByte(last, 0x1b); i >= 0 {
		if j := bytes.LastIndexByte(last[:i], 0x1b); j >= 0 && i == len(last)-1 {
			if n, ended := sequence(last[j:]); !ended { // a string, of which this may be the end
				return n
			}
		}
		if n, ended := sequence(last[i:]); !ended {
			return n
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if utf8.RuneStart(p[len(p)-n]) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}
