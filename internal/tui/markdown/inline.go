package markdown

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// spans are the lines of a paragraph, broken where its author breaks them. If it is growing, bold
// text and code that have begun are shown as such before their end has arrived.
func spans(source string, style row.Style, growing bool) []row.Row {
	if plainText(source) {
		return []row.Row{row.Of(strings.ReplaceAll(source, "\n", " "), style)}
	}
	p := inline{source: source, html: strings.HasPrefix(source, "<"), growing: growing}
	p.scan()
	p.match(0)
	return p.rows(style)
}

// plainText reports whether a text has nothing that could be a mark.
func plainText(source string) bool {
	return !strings.ContainsAny(source, "\\`*_~[]<>&!\t") && !strings.Contains(source, "://") && !strings.Contains(source, "  ")
}

// inline parses what is inside a paragraph, as CommonMark describes it: it cuts the text into
// pieces, keeps the marks that may open or close something, and matches them.
// Source: https://spec.commonmark.org/0.31.2/#phase-2-inline-structure.
type inline struct {
	source   string
	at       int  // what has been read of source, in bytes
	from     int  // what has been put into pieces
	html     bool // the paragraph is HTML, so its lines stay as they are
	growing  bool // more of the paragraph may arrive
	pieces   []piece
	delims   []delim
	brackets []bracket
	noCode   [maxTicks + 1]bool // no run of so many backticks follows
}

// piece is a part of the text in one style.
type piece struct {
	text   string
	role   row.Style // Plain if it has that of the paragraph
	style  row.Style // attributes that it has for itself
	link   string
	line   bool     // a line ends before it
	opened [3]int16 // how many matched marks open before it, less those that close
}

// The attributes that piece.opened counts.
const (
	bold = iota
	italic
	strike
)

var attributes = [3]row.Style{row.Bold, row.Italic, row.Strike}

// scan reads the text.
func (p *inline) scan() {
	for p.at < len(p.source) {
		switch c := p.source[p.at]; c {
		case '\\':
			p.escape()
		case '`':
			p.code()
		case '*', '_', '~':
			p.delims = append(p.delims, p.delim(c))
		case '!':
			p.open(p.at+1 < len(p.source) && p.source[p.at+1] == '[')
		case '[':
			p.open(false)
		case ']':
			p.shut()
		case '<':
			p.angle()
		case '&':
			p.entity()
		case 'h':
			p.bare()
		case '\n':
			p.newline()
		default:
			p.at++
		}
	}
	p.flush()
}

// flush puts the text that was read into a piece.
func (p *inline) flush() {
	if p.from < p.at {
		p.pieces = append(p.pieces, piece{text: p.source[p.from:p.at]})
	}
	p.from = p.at
}

// put puts a piece in place of the next n bytes.
func (p *inline) put(n int, piece piece) {
	p.flush()
	p.pieces = append(p.pieces, piece)
	p.at += n
	p.from = p.at
}

func (p *inline) rest() string { return p.source[p.at:] }

func (p *inline) escape() {
	rest := p.rest()
	switch {
	case len(rest) > 1 && rest[1] == '\n':
		p.put(2, piece{line: true})
	case len(rest) > 1 && strings.IndexByte(punctuation, rest[1]) >= 0:
		p.put(2, piece{text: rest[1:2]})
	default:
		p.at++
	}
}

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// newline ends a line: two spaces before it break the line in the row too.
func (p *inline) newline() {
	text := strings.TrimRight(p.source[p.from:p.at], " \t")
	hard := p.html || strings.HasSuffix(p.source[p.from:p.at], "  ")
	end := p.at
	p.at = p.from + len(text)
	p.flush()
	p.at, p.from = end, end
	if hard {
		p.put(1, piece{line: true})
	} else {
		p.put(1, piece{text: " "})
	}
}

func (p *inline) entity() {
	n := entity(p.rest())
	if n == 1 {
		p.at++
		return
	}
	p.put(n, piece{text: unescape(p.rest()[:n])})
}

// maxTicks bounds the backticks around code.
const maxTicks = 32

func (p *inline) code() {
	rest := p.rest()
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	if n > maxTicks || p.noCode[n] {
		p.at += n
		return
	}
	for i := n; i < len(rest); {
		k := strings.IndexByte(rest[i:], '`')
		if k < 0 {
			break
		}
		i += k
		ticks := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
		if ticks == n {
			p.put(i+n, piece{text: codeText(rest[n:i]), role: row.Code})
			return
		}
		i += ticks
	}
	if p.noCode[n] = true; p.growing && n == 1 && len(rest) > n {
		p.put(len(rest), piece{text: codeText(rest[n:]), role: row.Code})
		return
	}
	p.at += n
}

// codeText is the text of a code span: a space on both sides, which keeps backticks apart, is not
// part of it.
func codeText(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' && strings.Trim(text, " ") != "" {
		return text[1 : len(text)-1]
	}
	return text
}

// rows are the rows of all pieces.
func (p *inline) rows(style row.Style) []row.Row {
	var j joiner
	var open [3]int16
	for i := range p.pieces {
		piece := &p.pieces[i]
		s := style | piece.style
		if piece.role != row.Plain {
			s = s&^0xff | piece.role
		}
		for k := range open {
			if open[k] += piece.opened[k]; open[k] > 0 {
				s |= attributes[k]
			}
		}
		if piece.line {
			j.end()
		}
		j.add(piece, s)
	}
	j.end()
	return j.lines
}

// joiner makes spans of pieces that look the same.
type joiner struct {
	lines []row.Row
	line  row.Row
	span  row.Span // without its text
	first string   // its text, if it has one piece
	text  strings.Builder
}

func (j *joiner) add(p *piece, style row.Style) {
	if p.text == "" {
		return
	}
	if j.span.Style != style || j.span.Link != p.link {
		j.flush()
		j.span = row.Span{Style: style, Link: p.link}
	}
	if j.first == "" {
		j.first = p.text
		return
	}
	if j.text.Len() == 0 {
		j.text.WriteString(j.first)
	}
	j.text.WriteString(p.text)
}

func (j *joiner) flush() {
	if j.first == "" {
		return
	}
	text := j.first
	if j.text.Len() > 0 {
		text = j.text.String()
	}
	j.span.Text = clean(text)
	j.line = append(j.line, j.span)
	j.first = ""
	j.text.Reset()
}

// end ends a line.
func (j *joiner) end() {
	j.flush()
	j.lines, j.line = append(j.lines, j.line), nil
}

// clean is a text without line breaks and tabs. Entities such as &#27; may have made it harmful.
func clean(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f }) {
		return text
	}
	return timeline.Harmless(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
}
