package code

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Scanner colours the lines of one text, in their order. It is a value: a copy goes on from the
// same line. The zero value colours nothing.
type Scanner struct {
	lang  *Language
	in    *quote // what the line before left open
	depth int    // how often in is nested
	mode  int8   // of special scanners
}

// Line is the row of the next line, which has no line break. The text of the row is the line.
func (s *Scanner) Line(line string) row.Row {
	if s.lang == nil || line == "" {
		return row.Text(line)
	}
	b := builder{line: line}
	if s.lang.special != nil {
		s.lang.special(s, &b)
	} else {
		s.scan(&b)
	}
	b.to(len(line), row.Plain)
	return b.row
}

// builder cuts a line into pieces of one style.
type builder struct {
	line string
	done int // bytes of line that are in row
	row  row.Row
}

// to gives a style to the text up to a position.
func (b *builder) to(end int, style row.Style) {
	if end <= b.done {
		return
	}
	text := b.line[b.done:end]
	b.done = end
	if n := len(b.row); n > 0 && b.row[n-1].Style == style {
		b.row[n-1].Text = b.line[end-len(text)-len(b.row[n-1].Text) : end]
		return
	}
	if b.row == nil {
		b.row = make(row.Row, 0, 8)
	}
	b.row = append(b.row, row.Span{Text: text, Style: style})
}

// put gives a style to a part of the line; what is before it is plain.
func (b *builder) put(begin, end int, style row.Style) {
	b.to(begin, row.Plain)
	b.to(end, style)
}

// scan colours a line of an ordinary language.
func (s *Scanner) scan(b *builder) {
	set := s.lang.set.Get()
	i := 0
	if s.in != nil {
		i = s.quoted(b, 0, 0)
	}
	for i < len(b.line) {
		switch c := b.line[i]; set.of[c] {
		case space:
			i++
		case letter:
			i = s.word(b, i, set)
		case digit:
			i = number(b, i, set)
		case mark:
			i = s.mark(b, i)
		default:
			i++
		}
	}
}

// mark begins a comment or a string, if there is one at i, and returns where to go on.
func (s *Scanner) mark(b *builder, i int) int {
	rest := b.line[i:]
	for k := range s.lang.quotes {
		q := &s.lang.quotes[k]
		if strings.HasPrefix(rest, q.open) {
			b.to(i, row.Plain)
			s.in, s.depth = q, 1
			return s.quoted(b, i, len(q.open))
		}
	}
	for _, m := range s.lang.line {
		if strings.HasPrefix(rest, m) && s.begins(b.line, i, m) {
			b.put(i, len(b.line), row.Comment)
			return len(b.line)
		}
	}
	return i + 1
}

// begins reports whether a comment can begin at i: a # inside a word is none, as in ${#a}.
func (s *Scanner) begins(line string, i int, mark string) bool {
	return mark != "#" || i == 0 || strings.IndexByte(" \t;(){}[],|&", line[i-1]) >= 0 && line[i-1] != '{'
}

// quoted colours a string or a comment whose content begins skip bytes behind i.
func (s *Scanner) quoted(b *builder, i, skip int) int {
	q, line, begin := s.in, b.line, i
	i += skip
	for i < len(line) {
		switch {
		case q.escapes && line[i] == '\\':
			i = min(i+2, len(line))
		case line[i] == q.shut[0] && strings.HasPrefix(line[i:], q.shut):
			i += len(q.shut)
			if s.depth--; s.depth == 0 {
				s.in = nil
				b.to(i, q.style)
				b.key(s.lang, begin, i)
				return i
			}
		case q.nests && strings.HasPrefix(line[i:], q.open):
			i += len(q.open)
			s.depth++
		default:
			i++
		}
	}
	b.to(i, q.style)
	if !q.lines {
		s.in, s.depth = nil, 0
	}
	return i
}
