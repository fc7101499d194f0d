package row

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// narrowest is the least width that rows are wrapped to: a wide character must fit.
const narrowest = 2

// Wrap breaks the row between words, into rows of at most width columns. It breaks inside a word
// only if the word alone is wider. further is put before each row but the first, such as an
// indentation. A row without text is one empty row.
func (r Row) Wrap(width int, further Row) []Row {
	indent := min(further.Width(), max(width-narrowest, 0))
	further, _ = further.split(indent)
	w := wrapper{width: max(width, narrowest), further: further}
	for _, s := range r {
		w.span(s)
	}
	return w.rows()
}

// wrapper fills rows with words. A word can have several pieces, such as "**bold**er".
type wrapper struct {
	width   int
	further Row
	done    []Row
	line    Row
	used    int // columns of line
	blank   Row // spaces behind line, which are dropped if the row ends there
	word    Row
}

func (w *wrapper) span(s Span) {
	text := s.Text
	for text != "" {
		n := strings.IndexByte(text, ' ')
		switch n {
		case -1:
			w.word = w.word.append(s, text)
			return
		case 0:
			w.put()
			n = len(text) - len(strings.TrimLeft(text, " "))
			w.blank = w.blank.append(s, text[:n])
		default:
			w.word = w.word.append(s, text[:n])
		}
		text = text[n:]
	}
}

// put ends the word, and begins a row if the line has no room for it.
func (w *wrapper) put() {
	if len(w.word) == 0 {
		return
	}
	n := w.word.Width()
	if w.used+w.blank.Width()+n > w.width && !w.atBegin() {
		w.end()
	}
	blank := w.blank
	w.blank = nil
	if w.atBegin() {
		blank, _ = blank.split(w.width / 2)
		if len(w.done) > 0 {
			blank = nil // only spaces at the begin of the text stay
		}
	}
	w.line, w.used = w.line.Join(blank), w.used+blank.Width()
	for w.used+n > w.width {
		head, tail := w.word.split(max(w.width-w.used, 0))
		if len(head) == 0 && w.atBegin() { // a character that is wider than the row
			break
		}
		w.line, w.word = w.line.Join(head), tail
		w.end()
		n = w.word.Width()
	}
	w.line, w.used = w.line.Join(w.word), w.used+n
	w.word = nil
}

// atBegin reports whether the line has nothing but its indentation.
func (w *wrapper) atBegin() bool {
	if len(w.done) == 0 {
		return len(w.line) == 0
	}
	return len(w.line) == len(w.further)
}

func (w *wrapper) end() {
	w.done = append(w.done, w.line)
	w.line, w.used, w.blank = w.further[:len(w.further):len(w.further)], w.further.Width(), nil
}

func (w *wrapper) rows() []Row {
	w.put()
	if len(w.done) == 0 || !w.atBegin() {
		w.done = append(w.done, w.line)
	}
	return w.done
}

// Fold cuts the row into rows of at most width columns, at any character, and changes none. A row
// without text is one empty row.
func (r Row) Fold(width int) []Row {
	width = max(width, narrowest)
	var out []Row
	for {
		head, tail := r.split(width)
		out = append(out, head)
		if r = tail; len(r) == 0 {
			return out
		}
	}
}

// Graphemes yields the characters of a text as a person sees them, with the columns of each.
func Graphemes(text string) func(yield func(text string, width int) bool) {
	return func(yield func(string, int) bool) {
		for g := displaywidth.StringGraphemes(text); g.Next(); {
			if !yield(g.Value(), g.Width()) {
				return
			}
		}
	}
}
