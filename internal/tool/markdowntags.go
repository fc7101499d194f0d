package tool

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unseen elements hold nothing that a reader sees.
func unseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Select, atom.Textarea, atom.Canvas:
		return true
	}
	return false
}

// start handles the start tag of an element.
func (w *writer) start(t html.Token) {
	a := t.DataAtom
	switch {
	case len(w.hidden) > 0:
		if a == w.hidden[0] && t.Type == html.StartTagToken {
			w.hidden = append(w.hidden, a)
		}
		return
	case unseen(a):
		if t.Type == html.StartTagToken {
			w.hidden = append(w.hidden, a)
		}
		return
	case w.inside == atom.Pre:
		if a == atom.Br {
			w.held.WriteByte('\n')
		}
		return
	}
	switch a {
	case atom.Title, atom.Pre:
		w.release()
		w.inside = a
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if w.block(2); w.link == nil {
			w.mark(strings.Repeat("#", int(t.Data[1]-'0')))
		}
	case atom.Br:
		w.block(1)
	case atom.Hr:
		w.block(2)
		w.word("---")
		w.block(2)
	case atom.A:
		w.open(attribute(t, "href"))
	case atom.Img:
		if alt := strings.Join(strings.Fields(attribute(t, "alt")), " "); alt != "" {
			w.word("![" + alt + "](" + w.resolved(attribute(t, "src")) + ")")
		}
	case atom.Code, atom.Kbd, atom.Samp:
		w.word("`")
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(a == atom.Ol)
	case atom.Li:
		w.item()
	case atom.Blockquote:
		w.block(2)
		w.quotes++
	default:
		w.box(a)
	}
}

// box begins or ends a block, or a part of a table.
func (w *writer) box(a atom.Atom) {
	switch a {
	case atom.Table:
		w.cells, w.ruled = 0, false
		w.block(2)
	case atom.Tr:
		w.row()
		w.block(1)
	case atom.Td, atom.Th:
		if w.cells == 0 {
			w.block(1)
		}
		w.space = w.cells > 0
		w.word("|")
		w.cells, w.space = w.cells+1, true
	case atom.P, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Figure, atom.Details, atom.Dl, atom.Form, atom.Fieldset:
		w.block(2)
	case atom.Div, atom.Dt, atom.Dd, atom.Address, atom.Summary, atom.Figcaption, atom.Legend, atom.Option, atom.Caption, atom.Body:
		w.block(1)
	}
}

// end handles the end tag of an element.
func (w *writer) end(t html.Token) {
	a := t.DataAtom
	switch {
	case len(w.hidden) > 0:
		if a == w.hidden[0] {
			w.hidden = w.hidden[1:]
		}
		return
	case w.inside != 0:
		if a == w.inside {
			w.release()
		}
		return
	}
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.block(2)
	case atom.A:
		w.close()
	case atom.Code, atom.Kbd, atom.Samp:
		w.space = false
		w.word("`")
	case atom.Ul, atom.Ol, atom.Menu:
		w.lists = w.lists[:max(0, len(w.lists)-1)]
		w.block(2 - min(1, len(w.lists)))
	case atom.Blockquote:
		w.quotes = max(0, w.quotes-1)
		w.block(2)
	case atom.Tr:
		w.row()
	case atom.Table:
		w.row()
		w.block(2)
	case atom.Td, atom.Th:
	default:
		w.box(a)
	}
}

// list begins a list; only an outer list has an empty line before it.
func (w *writer) list(numbered bool) {
	w.block(2 - min(1, len(w.lists)))
	n := 0
	if numbered {
		n = 1
	}
	w.lists = append(w.lists, n)
}

func (w *writer) item() {
	w.block(1)
	mark := "-"
	if last := len(w.lists) - 1; last >= 0 && w.lists[last] > 0 {
		mark = strconv.Itoa(w.lists[last]) + "."
		w.lists[last]++
	}
	w.mark(mark)
}

// row ends a row of a table; under the first there is a line.
func (w *writer) row() {
	if w.cells == 0 {
		return
	}
	w.space = true
	w.word("|")
	if !w.ruled {
		rule := "|" + strings.Repeat(" --- |", w.cells)
		w.cells, w.ruled = 0, true
		w.block(1)
		w.word(rule)
	}
	w.cells = 0
	w.block(1)
}

// open begins a link; a link without an address is plain text.
func (w *writer) open(href string) {
	w.close()
	if href = w.resolved(href); href != "" {
		w.word("[")
		w.link = &link{len(w.out), href}
	}
}

// close ends a link; a link without text is left out.
func (w *writer) close() {
	if w.link == nil {
		return
	}
	l, owed := *w.link, w.space
	w.link, w.space = nil, false
	if len(w.out) == l.at {
		w.out = w.out[:l.at-1]
		if before, ok := bytes.CutSuffix(w.out, []byte(" ")); ok && w.fresh != len(w.out) {
			w.out, owed = before, true
		}
	} else {
		w.word("](" + l.href + ")")
	}
	w.space = owed
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
