package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// spans are the lines of a paragraph, broken where its author breaks them.
func spans(source string, style row.Style) []row.Row {
	if plainText(source) || tooMany(source) {
		return []row.Row{row.Of(strings.ReplaceAll(source, "\n", " "), style)}
	}
	w := walker{source: []byte(source), html: strings.HasPrefix(source, "<")}
	w.children(inlines.Get().Parse(text.NewReader(w.source)), style)
	return append(w.lines, w.line)
}

// plainText reports whether a text has nothing that could be a mark.
func plainText(source string) bool {
	return !strings.ContainsAny(source, "\\`*_~[]<>&!\t") && !strings.Contains(source, "://") && !strings.Contains(source, "  ")
}

// tooMany reports whether a text has so many marks that parsing it may take long: the time can grow
// with the square of their number. It is shown as it is.
func tooMany(source string) bool {
	n := 0
	for i := range len(source) {
		switch source[i] {
		case '[', '*', '_', '~', '<', '!':
			n++
		}
	}
	return n > maxMarks
}

// maxMarks bounds the marks of a paragraph that is parsed. Source: with so many, the worst
// paragraph takes 2 ms.
const maxMarks = 400

// walker makes rows of what goldmark has parsed.
type walker struct {
	source []byte
	html   bool // the paragraph is HTML, so its lines stay as they are
	lines  []row.Row
	line   row.Row
	link   string // the address of the link around the text
}

func (w *walker) children(n ast.Node, style row.Style) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style)
	}
}

func (w *walker) node(n ast.Node, style row.Style) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n, style)
	case *ast.String:
		w.add(string(n.Value), style)
	case *ast.CodeSpan:
		w.add(w.raw(n), role(style, row.Code))
	case *ast.Emphasis:
		if n.Level == 2 {
			w.children(n, style|row.Bold)
		} else {
			w.children(n, style|row.Italic)
		}
	case *strikeNode:
		w.children(n, style|row.Strike)
	case *ast.AutoLink:
		label := string(n.Label(w.source))
		w.linked(string(n.URL(w.source)), style, func(s row.Style) { w.add(label, s) })
	case *ast.Link:
		w.linked(unescape(string(n.Destination)), style, func(s row.Style) { w.children(n, s) })
	case *ast.Image:
		w.linked(unescape(string(n.Destination)), style, func(s row.Style) { w.children(n, s) })
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			w.raws(string(segment.Value(w.source)), style)
		}
	default:
		w.children(n, style)
	}
}

// role replaces the role of a style and keeps its attributes.
func role(style, role row.Style) row.Style { return style&^0xff | role }

func (w *walker) text(n *ast.Text, style row.Style) {
	content := string(n.Segment.Value(w.source))
	if !n.IsRaw() {
		content = unescape(content)
	}
	w.add(content, style)
	switch {
	case n.HardLineBreak() || n.SoftLineBreak() && w.html:
		w.lines, w.line = append(w.lines, w.line), nil
	case n.SoftLineBreak():
		w.add(" ", style)
	}
}

// raw is the text of a code span.
func (w *walker) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// raws adds HTML, which can have several lines.
func (w *walker) raws(text string, style row.Style) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.lines, w.line = append(w.lines, w.line), nil
		}
		w.add(line, style)
	}
}

// linked adds the text of a link, and where it leads to if the text does not say so.
func (w *walker) linked(address string, style row.Style, content func(row.Style)) {
	outer, begin, lines := w.link, len(w.line), len(w.lines)
	w.link = safe(address)
	content(role(style, row.Link) | row.Underline)
	shown := ""
	if lines == len(w.lines) {
		shown = w.line[begin:].String()
	}
	if shown != address && "mailto:"+shown != address {
		w.add(brackets(shown, address), role(style, row.Plain)|row.Dim)
	}
	w.link = outer
}

// brackets is the address of a link as it is shown behind its text.
func brackets(shown, address string) string {
	address = strings.ReplaceAll(timeline.Exposed(address), "\n", " ")
	switch {
	case address == "":
		return ""
	case shown == "":
		return address
	}
	return " (" + address + ")"
}

// safe is an address that a click may open, "" if it is of another kind: other schemes can start
// programs.
func safe(address string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if len(address) > len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			return address
		}
	}
	return ""
}

// add adds text to the line. Entities such as &#27; may have made it harmful.
func (w *walker) add(content string, style row.Style) {
	if content == "" {
		return
	}
	if strings.ContainsFunc(content, func(r rune) bool { return r < 0x20 || r >= 0x7f }) {
		content = timeline.Harmless(strings.NewReplacer("\n", " ", "\t", " ").Replace(content))
	}
	if n := len(w.line); n > 0 && w.line[n-1].Style == style && w.line[n-1].Link == w.link {
		w.line[n-1].Text += content
		return
	}
	w.line = append(w.line, row.Span{Text: content, Style: style, Link: w.link})
}

// unescape replaces entities, and backslashes before punctuation.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(punctuation, s[i+1]) >= 0:
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			n := entity(s[i:])
			b.WriteString(html.UnescapeString(s[i : i+n]))
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// entity is the length of the entity that a text begins with, 1 if there is none: only what ends
// with a semicolon is one.
func entity(s string) int {
	for i := 1; i < min(len(s), maxEntity); i++ {
		switch c := s[i]; {
		case c == ';':
			return i + 1
		case c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z'):
			return 1
		}
	}
	return 1
}

// maxEntity is the length of the longest entity, &CounterClockwiseContourIntegral; in bytes.
const maxEntity = 34
