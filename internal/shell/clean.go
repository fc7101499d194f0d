package shell

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxColumn bounds how far right output can move the cursor, so that a few bytes do
	// not become an endless line of spaces.
	maxColumn = 1000
	// maxLine bounds the characters of a line that can still be overwritten, and with
	// them the cost of one sequence. Characters before those are final.
	maxLine = 2048
)

// Clean returns a program's output as it would look on a screen that only scrolls: valid
// UTF-8 in lines. Escape sequences (colours, titles, modes) are removed. A carriage
// return, a backspace or a move within the line overwrites what was there; a move to
// another line begins a new one. Bytes that are not UTF-8 become U+FFFD, and other
// control characters are removed.
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

// screen is the finished lines and the one that is being written.
type screen struct {
	out    strings.Builder
	line   []rune
	column int // where the next character goes, at most len(line)
	blanks int // how many more spaces moves to the right may add
}

// plain writes characters up to the next control character, and returns how many bytes
// that was.
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

// control executes one control character or escape sequence, and returns how many bytes
// it has.
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

// move executes a control sequence as far as the text depends on it.
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
	case 'A', 'B', 'E', 'F', 'H', 'f', 'd', 'J': // move to another line, or clear the screen
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

// number returns the first parameter of a sequence, or otherwise if there is none or it
// is not a number.
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

// sequence returns the length of the escape sequence at the beginning of p, and whether
// it is complete; an incomplete one is all of p. A byte that cannot be in a sequence ends
// it before that byte.
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

// upTo returns where a sequence ends whose final byte is at least final.
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

// maxString bounds a sequence, in bytes; the rest of a longer one is text. The longest
// useful sequences are titles and links.
const maxString = 4096

// unfinished returns how many bytes at the end of p belong to a sequence or a character
// that the next output may complete.
func unfinished(p []byte) int {
	last := p[max(0, len(p)-maxString):]
	if i := bytes.LastIndexByte(last, 0x1b); i >= 0 {
		if j := bytes.LastIndexByte(last[:i], 0x1b); j >= 0 && i == len(last)-1 {
			if n, ended := sequence(last[j:]); !ended { // this escape may end a string
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
