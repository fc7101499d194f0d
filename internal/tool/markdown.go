package tool

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxNested bounds lists and quotes inside others; deeper ones are shown as if
	// they were at that depth.
	maxNested = 10
	// maxTag bounds one tag or text of a page, in bytes; a page is cut off at a longer
	// one.
	maxTag = 4 << 20
	// maxHref bounds the address of a link that is shown, in bytes.
	maxHref = 500
)

// markdown turns a page into Markdown: headings, paragraphs, lists, quotes,
// tables, code, links and the texts of images. Scripts, styles and what is not
// shown are left out. It never fails: a broken page gives what can be read of it.
//
// The page is read as a row of tags, not as a tree, so time and memory grow with
// its length only, however it is nested.
func markdown(page string, base *url.URL) string {
	w := &writer{base: base}
	z := html.NewTokenizer(strings.NewReader(page))
	z.SetMaxBuf(maxTag)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				w.block(2)
				w.word("[The page could not be read further: " + err.Error() + "]")
			}
			return w.result()
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			w.start(z.Token())
		case html.EndTagToken:
			w.end(z.Token())
		}
	}
}

// writer writes Markdown. It holds spaces and line ends back until something follows
// them.
type writer struct {
	base  *url.URL
	out   []byte
	title string

	lines int  // line ends held back, at most 2
	space bool // a space is held back

	hidden []atom.Atom // open elements that are not shown; all but the first are of its name
	inside atom.Atom   // title or pre, whose text goes elsewhere
	held   strings.Builder

	lists  []int // for each open list the number of its next item, 0 for a bullet
	quotes int
	link   *link // the open one
	fresh  int   // the end of a mark after which text continues on the same line
	cells  int   // in this row
	ruled  bool  // the table has the line under its head
}

// link is an open link: where its text begins and its address.
type link struct {
	at   int
	href string
}

func (w *writer) result() string {
	w.release()
	text := strings.TrimSpace(string(w.out))
	title := strings.Join(strings.Fields(w.title), " ")
	if title != "" && !strings.HasPrefix(text, "# ") {
		text = strings.TrimSpace("# " + title + "\n\n" + text)
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// block ends the line: 1 begins a new line, 2 leaves an empty one between. In a link or a
// cell, which are on one line, it is a space.
func (w *writer) block(lines int) {
	switch {
	case w.link != nil || w.cells > 0:
		w.space = true
	case w.fresh == 0 || w.fresh != len(w.out):
		w.lines, w.space = max(w.lines, lines), false
	}
}

// flush writes what was held back.
func (w *writer) flush() {
	switch {
	case len(w.out) == 0:
		w.out = append(w.out, w.margin()...)
	case w.lines > 0:
		for range w.lines - 1 {
			w.out = append(w.out, "\n"+strings.TrimRight(w.margin(), " ")...)
		}
		w.out = append(w.out, "\n"+w.margin()...)
	case w.space && !w.bare():
		w.out = append(w.out, ' ')
	}
	w.lines, w.space = 0, false
}

// bare reports that a link has been opened and has no text yet.
func (w *writer) bare() bool { return w.link != nil && w.link.at == len(w.out) }

// margin is the prefix of each line here, such as that of a quote.
func (w *writer) margin() string {
	return strings.Repeat("> ", min(w.quotes, maxNested)) + strings.Repeat("  ", max(0, min(len(w.lists), maxNested)-1))
}

// word writes text without changing its spaces.
func (w *writer) word(s string) {
	w.flush()
	w.out = append(w.out, s...)
}

// mark writes what begins a line, with a space after it.
func (w *writer) mark(s string) {
	w.word(s)
	w.fresh, w.space = len(w.out), true
}

func (w *writer) text(s string) {
	switch {
	case len(w.hidden) > 0:
	case w.inside != 0:
		w.held.WriteString(s)
	default:
		w.flow(s)
	}
}

// flow writes text whose white space means no more than a space.
func (w *writer) flow(s string) {
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsSpace(first) {
		w.space = true
	}
	fields := strings.Fields(s)
	for i, f := range fields {
		if i > 0 {
			w.space = true
		}
		w.word(f)
	}
	if last, _ := utf8.DecodeLastRuneInString(s); len(fields) > 0 && unicode.IsSpace(last) {
		w.space = true
	}
}

// release writes the text that was held back: a title or a piece of code.
func (w *writer) release() {
	held, was := w.held.String(), w.inside
	w.held.Reset()
	switch w.inside = 0; was {
	case atom.Title:
		w.title = held
	case atom.Pre:
		w.code(strings.Trim(held, "\r\n"))
	}
}

// code writes a block of code, in a fence longer than any in it.
func (w *writer) code(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	w.block(2)
	for line := range strings.SplitSeq(fence+"\n"+s+"\n"+fence, "\n") {
		w.word(strings.TrimRight(line, "\r"))
		w.lines = 1
	}
	w.block(2)
}

// resolved is an address as it can be fetched, empty if it cannot.
func (w *writer) resolved(href string) string {
	if href == "" {
		return ""
	}
	u, err := w.base.Parse(strings.TrimSpace(href))
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) {
		return ""
	}
	if s := u.String(); len(s) <= maxHref {
		return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(s)
	}
	return ""
}
