package tool

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// show adds the matching lines of one file to the answer, with the lines around them.
// Each line appears once.
func (s *scan) show(name string, text []byte) {
	p := page{scan: s, name: name, text: text, line: 1}
	for line, at := range s.matches(text) {
		if !p.match(line, at) {
			return
		}
	}
	p.rest(-1)
}

// page is one file, and how much of it has been shown.
type page struct {
	*scan
	name string
	text []byte
	pos  int // the start of the first line that has not been shown
	line int // its number
	owed int // lines to show after the last match
	any  bool
}

func (p *page) match(line int, at extent) bool {
	p.rest(line)
	start, first := at.start, line
	for first > p.line && line-first < p.before {
		start, first = bytes.LastIndexByte(p.text[:start-1], '\n')+1, first-1
	}
	if p.before+p.after > 0 && p.lines > 0 && (first > p.line || !p.any) && !p.put("--") {
		return false
	}
	p.any = true
	for p.pos, p.line = start, first; p.line < line; {
		p.next('-')
	}
	p.owed = p.after
	return p.next(':')
}

// rest shows the lines that follow the last match, up to a line; -1 is the end.
func (p *page) rest(until int) {
	for p.owed > 0 && p.line != until && p.pos < len(p.text) && p.next('-') {
		p.owed--
	}
}

// next shows one line, with mark between its path, number and text.
func (p *page) next(mark byte) bool {
	end := lineEnd(p.text, p.pos)
	line, cut := shorten(p.text[p.pos:end])
	var b strings.Builder
	b.WriteString(p.name)
	b.WriteByte(mark)
	if p.numbers {
		b.WriteString(strconv.Itoa(p.line))
		b.WriteByte(mark)
	}
	b.WriteString(strings.ToValidUTF8(string(line), "\ufffd"))
	if cut > 0 {
		fmt.Fprintf(&b, " [%d more bytes in this line]", cut)
	}
	p.pos, p.line = min(end+1, len(p.text)), p.line+1
	return p.put(b.String())
}
