package row

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// narrowest is the least width that rows are wrapped to: a wide character must fit.
const narrowest = 2

// Wrap breaks the row between words, into rows of at most width columns. It breaks inside a word
// only if the word alone is wider; wide characters, of scripts without spaces, are words of their
// own. further is put before each row but the first, such as an indentation. A row without text is
// one empty row.
func (r Row) Wrap(width int, further Row) []Row {
	indent := min(further.Width(), max(width-narrowest, 0))
	further, _ = further.split(indent)
	w := wrapper{text: r, width: max(width, narrowest), further: further, indent: further.Width()}
	for i, s := range r {
		if !utf8.ValidString(s.Text) { // what invalid bytes are shown as depends on their neighbours
			w.text = slices.Clone(w.text)
			w.text[i].Text = strings.ToValidUTF8(s.Text, "\ufffd")
		}
		w.span(i, w.text[i].Text)
	}
	end := place{span: len(r)}
	w.put(end)
	if w.begun || len(w.rows) == 0 {
		w.end(w.to)
	}
	return w.rows
}

// place is a position in a row: a piece, and a byte of it.
type place struct{ span, at int }

// wrapper divides a row. A word can have several pieces, such as "**bold**er".
type wrapper struct {
	text    Row
	width   int
	further Row
	indent  int // columns of further
	rows    []Row

	from, to place // of the row that is being filled: where it begins, and where its last word ends
	begun    bool  // it has a word
	used     int   // its columns
	blank    int   // columns of spaces behind its last word
	word     place // where the next word begins
	wide     int   // columns of the next word
}

// span reads a piece: words, and spaces between them.
func (w *wrapper) span(span int, text string) {
	for at := 0; at < len(text); {
		if n := spaces(text[at:]); n > 0 {
			w.put(place{span, at})
			w.blank += n
			at += n
			continue
		}
		if w.wide == 0 {
			w.word = place{span, at}
		}
		n := wordEnd(text[at:])
		if ascii(text[at : at+n]) {
			w.wide += n
		} else {
			w.letters(span, at, text[at:at+n])
		}
		at += n
	}
}

// letters reads a word that is not ASCII: it can be broken around wide characters.
func (w *wrapper) letters(span, at int, text string) {
	for g, n := range Graphemes(text) {
		if n == 2 && w.wide > 0 && !strings.ContainsAny(g, closing) {
			w.put(place{span, at})
		}
		if w.wide == 0 {
			w.word = place{span, at}
		}
		w.wide += n
		at += len(g)
	}
}

// closing are wide characters that do not begin a row.
const closing = "、。，．！？：；）］｝」』】》〉ー々"

// put adds the word, which ends at a place, and ends the row before if it has no room for it.
func (w *wrapper) put(end place) {
	if w.wide == 0 {
		return
	}
	switch {
	case !w.begun && len(w.rows) == 0: // only spaces at the beginning of the text stay
		w.used = min(w.blank, w.width/2)
		w.from = w.back(w.word, w.used)
	case !w.begun:
		w.from = w.word
	case w.used+w.blank+w.wide > w.width:
		w.end(w.to)
		w.from = w.word
	default:
		w.used += w.blank
	}
	for w.used+w.wide > w.width {
		cut, n := w.forth(w.word, end, w.width-w.used)
		if n == 0 && w.used <= w.indent { // a character that is wider than the row
			break
		}
		w.end(cut)
		w.from, w.word = cut, cut
		w.wide -= n
	}
	w.used, w.to, w.begun = w.used+w.wide, end, true
	w.blank, w.wide = 0, 0
}

// end ends the row at a place.
func (w *wrapper) end(at place) {
	var r Row
	if len(w.rows) > 0 {
		r = append(make(Row, 0, len(w.further)+1+at.span-w.from.span), w.further...)
	}
	for i := w.from.span; i <= at.span && i < len(w.text); i++ {
		s := w.text[i]
		if i == at.span {
			s.Text = s.Text[:at.at]
		}
		if i == w.from.span {
			s.Text = s.Text[min(w.from.at, len(s.Text)):]
		}
		if s.Text != "" {
			r = append(r, s)
		}
	}
	w.rows = append(w.rows, r)
	w.begun, w.used = false, w.indent
}

// back is n spaces before a place.
func (w *wrapper) back(p place, n int) place {
	for n > p.at {
		n -= p.at
		p.span--
		p.at = len(w.text[p.span].Text)
	}
	return place{p.span, p.at - n}
}

// forth is at most width columns behind a place, and how many these are.
func (w *wrapper) forth(p, end place, width int) (place, int) {
	used := 0
	for p != end {
		text := w.text[p.span].Text
		if p.span == end.span {
			text = text[:end.at]
		}
		cut, n := headBytes(text[p.at:], width-used)
		used += n
		if p.at += cut; p.at < len(text) || p.span == end.span {
			return p, used
		}
		p = place{span: p.span + 1}
	}
	return p, used
}

// spaces is how many spaces a text begins with. A space with a mark on it is a letter.
func spaces(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " "))
	if n > 0 && n < len(text) && text[n] >= utf8.RuneSelf {
		for g := range Graphemes(text[n-1:]) {
			if len(g) > 1 {
				return n - 1
			}
			break
		}
	}
	return n
}

// wordEnd is the length of the word that a text begins with.
func wordEnd(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && spaces(text[i:]) > 0 {
			return i
		}
	}
	return len(text)
}

// ascii reports whether a text has only characters of one column and one byte.
func ascii(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// Fold cuts the row into rows of at most width columns, at any character, and changes none. A row
// without text is one empty row.
func (r Row) Fold(width int) []Row {
	width = max(width, narrowest)
	var out []Row
	for at := (place{}); ; {
		var head Row
		head, at = r.head(at, width)
		out = append(out, head)
		if at.span == len(r) {
			return out
		}
	}
}

// head is at most width columns behind a place, and where they end.
func (r Row) head(from place, width int) (Row, place) {
	var out Row
	for at := from; at.span < len(r); at = (place{span: at.span + 1}) {
		s := r[at.span]
		cut, n := headBytes(s.Text[at.at:], width)
		out = out.append(s, s.Text[at.at:at.at+cut])
		if at.at += cut; at.at < len(s.Text) {
			return out, at
		}
		width -= n
	}
	return out, place{span: len(r)}
}
