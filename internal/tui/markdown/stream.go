package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Rows are the rows of a whole text, in a terminal of so many columns. Only rows of code can be
// wider.
func Rows(source string, width int) []row.Row {
	var s Stream
	s.Write(source)
	s.Finish()
	return s.Take(width)
}

// Stream makes rows of a text that arrives in pieces. The zero value is an empty text. The rows
// of all calls of Take, after Finish, are those of [Rows], however the text was cut into pieces.
// The width may change between calls: rows that were taken stay as they are.
type Stream struct {
	reader   reader
	renderer renderer
	partial  []byte // a line that has not ended
}

// Write adds a piece of the text. Lines end with a line feed, or with a carriage return and a line
// feed. Characters that control a terminal are replaced, as by
// [timeline.Harmless].
func (s *Stream) Write(piece string) {
	for piece != "" {
		n := strings.IndexByte(piece, '\n')
		if n < 0 {
			s.partial = append(s.partial, piece...)
			s.cut()
			return
		}
		s.partial = append(s.partial, piece[:n]...)
		s.cut()
		s.reader.line(harmless(s.partial))
		s.partial = s.partial[:0]
		piece = piece[n+1:]
	}
}

// maxLine bounds the part of a line of prose that is parsed together, in bytes. Lines of code have
// no bound.
const maxLine = 8 << 10

// cut ends a very long line of prose early, so that it becomes final.
func (s *Stream) cut() {
	rest := s.partial
	for len(rest) > maxLine && !s.reader.inCode() {
		n := maxLine
		for n > maxLine-utf8.UTFMax && !utf8.RuneStart(rest[n]) {
			n--
		}
		if i := lastSpace(rest[:n]); i > 0 {
			n = i + 1
		}
		s.reader.line(harmless(rest[:n]))
		s.reader.split()
		rest = rest[n:]
	}
	if len(rest) < len(s.partial) {
		s.partial = append(s.partial[:0], rest...)
	}
}

// lastSpace is the position of a space in the last quarter of a line, -1 for none.
func lastSpace(line []byte) int {
	for i := len(line) - 1; i >= len(line)*3/4; i-- {
		if line[i] == ' ' {
			return i
		}
	}
	return -1
}

// harmless is a line without what controls a terminal. Tabs stay.
func harmless(line []byte) string {
	text := strings.TrimSuffix(string(line), "\r")
	for i := range len(text) {
		if c := text[i]; c < 0x20 && c != '\t' || c >= 0x7f {
			return timeline.Harmless(text)
		}
	}
	return text
}

// Finish ends the text. Take then returns all that is left, and Tail nothing.
func (s *Stream) Finish() {
	if len(s.partial) > 0 {
		s.reader.line(harmless(s.partial))
		s.partial = nil
	}
	s.reader.close(1)
}

// Take returns the rows that have become final since the last call, each once.
func (s *Stream) Take(width int) []row.Row {
	var rows []row.Row
	for i := range s.reader.out {
		rows = s.renderer.block(rows, &s.reader.out[i], width)
	}
	clear(s.reader.out)
	s.reader.out = s.reader.out[:0]
	return rows
}

// Tail returns the rows that may still change: those of the last block, and of the line that has
// not ended. They come behind the rows of Take, so call Take first.
func (s *Stream) Tail(width int) []row.Row {
	p := s.reader.fork()
	if text := s.preview(); text != "" {
		p.line(text)
	}
	p.close(1)
	if n := len(p.out); n > 0 {
		p.out[n-1].growing = true
	}
	r := s.renderer
	var rows []row.Row
	for i := range p.out {
		rows = r.block(rows, &p.out[i], width)
	}
	return rows
}

// maxPreview bounds how much of a line of code that has not ended is shown, in bytes.
const maxPreview = 4 << 10

// preview is the line that has not ended, as far as it can be shown. A line of nothing but marks,
// such as "--", is held until it is clear what it becomes.
func (s *Stream) preview() string {
	line := s.partial
	for n := 1; n <= min(utf8.UTFMax-1, len(line)); n++ { // a character that has not arrived as a whole
		if i := len(line) - n; utf8.RuneStart(line[i]) {
			if !utf8.FullRune(line[i:]) {
				line = line[:i]
			}
			break
		}
	}
	if len(line) > maxLine {
		line = line[:maxPreview]
	}
	text := harmless(line)
	if strings.Trim(text, " \t-=*_#`~+>|:.0123456789") == "" && !(s.reader.inCode() && strings.Trim(text, " `~") != "") {
		return ""
	}
	if s.reader.leaf.kind == table && !strings.Contains(text, "|") {
		return ""
	}
	return text
}
