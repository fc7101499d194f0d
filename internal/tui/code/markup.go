package code

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// The states in which a line of XML can begin.
const (
	inText int8 = iota
	inTag
	inComment
	inSingle // an attribute in '
	inDouble // an attribute in "
)

// xml colours tags, attributes and comments.
func xml(s *Scanner, b *builder) {
	for i := 0; i < len(b.line); {
		switch s.mode {
		case inText:
			i = s.text(b, i)
		case inComment:
			i = s.until(b, i, "-->", row.Comment, inText)
		case inSingle:
			i = s.until(b, i, "'", row.String, inTag)
		case inDouble:
			i = s.until(b, i, `"`, row.String, inTag)
		default:
			i = s.tag(b, i)
		}
	}
}

// until colours the text up to a mark, and changes the mode behind it.
func (s *Scanner) until(b *builder, i int, mark string, style row.Style, next int8) int {
	end := len(b.line)
	if n := strings.Index(b.line[i:], mark); n >= 0 {
		end, s.mode = i+n+len(mark), next
	}
	b.to(end, style)
	return end
}

func (s *Scanner) text(b *builder, i int) int {
	n := strings.IndexByte(b.line[i:], '<')
	if n < 0 {
		return len(b.line)
	}
	i += n
	b.to(i, row.Plain)
	if strings.HasPrefix(b.line[i:], "<!--") {
		b.to(i+4, row.Comment)
		s.mode = inComment
		return i + 4
	}
	end := i + 1
	for end < len(b.line) && strings.IndexByte(" \t>", b.line[end]) < 0 && !(b.line[end] == '/' && end > i+1) {
		end++
	}
	if end == i+1 { // a lone <
		return end
	}
	b.to(end, row.Keyword)
	s.mode = inTag
	return end
}

func (s *Scanner) tag(b *builder, i int) int {
	switch c := b.line[i]; c {
	case '>':
		b.to(i, row.Name)
		b.to(i+1, row.Keyword)
		s.mode = inText
		return i + 1
	case '"', '\'':
		b.to(i, row.Name)
		b.to(i+1, row.String)
		s.mode = inDouble
		if c == '\'' {
			s.mode = inSingle
		}
		return i + 1
	case ' ', '\t', '=', '/':
		b.to(i, row.Name)
		b.to(i+1, row.Plain)
		return i + 1
	}
	if i+1 == len(b.line) {
		b.to(i+1, row.Name)
	}
	return i + 1
}

// markdown colours lines of Markdown by how they begin.
func markdown(s *Scanner, b *builder) {
	text := strings.TrimLeft(b.line, " ")
	fence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
	switch {
	case fence:
		s.mode = 1 - s.mode
		b.to(len(b.line), row.Comment)
	case s.mode == 1:
		b.to(len(b.line), row.Code)
	case strings.HasPrefix(text, "#"):
		b.to(len(b.line), row.Heading)
	case strings.HasPrefix(text, ">"):
		b.to(len(b.line), row.Quote)
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "):
		begin := len(b.line) - len(text)
		b.put(begin, begin+1, row.Keyword)
	}
}

// changes colours the lines of a diff.
func changes(_ *Scanner, b *builder) {
	style := row.Plain
	switch {
	case strings.HasPrefix(b.line, "+++"), strings.HasPrefix(b.line, "---"), strings.HasPrefix(b.line, "diff "), strings.HasPrefix(b.line, "index "):
		style = row.Comment
	case strings.HasPrefix(b.line, "+"):
		style = row.Added
	case strings.HasPrefix(b.line, "-"):
		style = row.Removed
	case strings.HasPrefix(b.line, "@@"):
		style = row.Hunk
	}
	b.to(len(b.line), style)
}
