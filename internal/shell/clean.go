package shell

import (
	"strings"
	"unicode/utf8"
)

// maxColumn bounds how far right a cursor can be sent, so that a few bytes of
// output do not become a line of spaces without end.
const maxColumn = 1000

// Clean is output of a program as somebody would read it on a screen that only
// grows: valid UTF-8 in lines. Escape sequences (colours, titles, modes) are gone;
// what a carriage return, a backspace or a move within the line goes back over is
// overwritten; a move to another line begins a new one. Bytes that are no
// UTF-8 are U+FFFD, other control characters are left out.
func Clean(p []byte) string {
	s := screen{}
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
	s.column++
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
		n := sequence(p)
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
	for len(s.line) < s.column {
		s.line = append(s.line, ' ')
	}
}

func (s *screen) erase(how int) {
	switch how {
	case 0:
		s.line = s.line[:min(s.column, len(s.line))]
	case 1:
		for i := range min(s.column+1, len(s.line)) {
			s.line[i] = ' '
		}
	case 2:
		s.line = s.line[:0]
		column := s.column
		s.column = 0
		s.to(column)
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

// sequence is the length of the escape sequence that p begins with: all of p if it
// does not end there. A byte that cannot be in it ends it before its place.
func sequence(p []byte) int {
	if len(p) < 2 {
		return len(p)
	}
	switch p[1] {
	case '[': // parameters, intermediates, one final byte
		for i := 2; i < len(p); i++ {
			switch c := p[i]; {
			case c >= 0x40 && c <= 0x7e:
				return i + 1
			case c < 0x20 || c > 0x7e:
				return i
			}
		}
		return len(p)
	case ']', 'P', 'X', '^', '_': // a string up to BEL or ESC \
		for i := 2; i < len(p) && i < maxString; i++ {
			if p[i] == 0x07 {
				return i + 1
			}
			if p[i] == 0x1b {
				return min(i+2, len(p))
			}
		}
		return min(len(p), maxString)
	}
	for i := 1; i < len(p); i++ { // intermediates, one final byte
		if p[i] >= 0x30 && p[i] <= 0x7e {
			return i + 1
		}
		if p[i] < 0x20 || p[i] > 0x7e {
			return i
		}
	}
	return len(p)
}

// maxString bounds a title or the like, in bytes; what is longer is text.
const maxString = 4096

// unfinished is how many bytes at the end of p belong to a sequence or a character
// that may go on in what is written next.
func unfinished(p []byte) int {
	if i := strings.LastIndexByte(string(p[max(0, len(p)-maxString):]), 0x1b); i >= 0 {
		i += max(0, len(p)-maxString)
		if n := sequence(p[i:]); i+n == len(p) && !complete(p[i:]) {
			return n
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// complete says whether a sequence that ends with its bytes has its final one.
func complete(p []byte) bool {
	return sequence(append(p[:len(p):len(p)], 0x18)) == len(p) && len(p) > 1
}
