package row

import "strings"

// Span is a piece of text in one style. Link is the address that it leads to, "" for none.
type Span struct {
	Text  string
	Style Style
	Link  string
}

// Row is one row of text. It holds no line break.
type Row []Span

// Of is a row of one piece.
func Of(text string, style Style) Row {
	if text == "" {
		return nil
	}
	return Row{{Text: text, Style: style}}
}

// Text is a row of plain text.
func Text(text string) Row { return Of(text, Plain) }

// And is the row with a further piece.
func (r Row) And(text string, style Style) Row {
	if text == "" {
		return r
	}
	return append(r[:len(r):len(r)], Span{Text: text, Style: style})
}

// Join is the row with the pieces of others behind it.
func (r Row) Join(others ...Row) Row {
	out := r[:len(r):len(r)]
	for _, o := range others {
		out = append(out, o...)
	}
	return out
}

// With is the row with attributes added to each piece.
func (r Row) With(attributes Style) Row {
	out := make(Row, len(r))
	for i, s := range r {
		s.Style |= attributes
		out[i] = s
	}
	return out
}

// String is the text of the row, without its styles.
func (r Row) String() string {
	if len(r) == 1 {
		return r[0].Text
	}
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is the number of columns that the row needs.
func (r Row) Width() int {
	n := 0
	for _, s := range r {
		n += Width(s.Text)
	}
	return n
}

// Cut is the row, at most width columns wide. A row that is cut ends with an ellipsis.
func (r Row) Cut(width int) Row {
	if width <= 0 {
		return nil
	}
	if r.Width() <= width {
		return r
	}
	head, _ := r.split(width - 1)
	style := Plain
	if len(head) > 0 {
		style = head[len(head)-1].Style
	}
	return head.And("…", style)
}

// Pad is the row with spaces behind it, up to width columns.
func (r Row) Pad(width int) Row {
	return r.And(strings.Repeat(" ", max(width-r.Width(), 0)), Plain)
}

// split divides the row after at most width columns. The head is empty if the first character
// is wider than width.
func (r Row) split(width int) (head, tail Row) {
	for i, s := range r {
		cut, n := headBytes(s.Text, width)
		if cut == len(s.Text) {
			width -= n
			continue
		}
		head = r[:i:i].append(s, s.Text[:cut])
		return head, Row{}.append(s, s.Text[cut:]).Join(r[i+1:])
	}
	return r, nil
}

// append adds text in the style and with the link of s.
func (r Row) append(s Span, text string) Row {
	if text == "" {
		return r
	}
	s.Text = text
	return append(r, s)
}

// headBytes is the length of the longest beginning of text that fits into width columns, in
// bytes, and its columns. The cost depends on width, and not on the length of text.
func headBytes(text string, width int) (n, columns int) {
	for g, w := range Graphemes(text) {
		if columns+w > width {
			break
		}
		columns += w
		n += len(g)
	}
	return n, columns
}

// Expand replaces tabs by spaces, up to the next of the tab stops, which are every eight columns.
func Expand(line string) string { return ExpandTo(line, tabStop) }

// ExpandTo replaces tabs by spaces, up to the next multiple of stop columns.
func ExpandTo(line string, stop int) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(line, "\t") {
		if i > 0 {
			n := stop - column%stop
			b.WriteString(strings.Repeat(" ", n))
			column += n
		}
		b.WriteString(part)
		column += Width(part)
	}
	return b.String()
}

const tabStop = 8
