package composer

import (
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// search is a search of the history.
type search struct {
	on    bool
	query string
	at    int // the index of the shown message; the number of messages if none is shown
	shown bool
	none  bool // nothing fits
}

// searchOlder begins a search, or looks for an older message.
func (c *Composer) searchOlder() {
	if !c.search.on {
		c.popup.close()
		c.search = search{on: true, at: len(c.history.lines)}
		c.history.back = 0
		return
	}
	c.find(c.search.at - 1)
}

// find shows the newest message that holds the query, at or before an index, and is not the one that is shown.
func (c *Composer) find(from int) {
	s := &c.search
	if s.query == "" {
		return
	}
	for i := min(from, len(c.history.lines)-1); i >= 0; i-- {
		line := c.history.lines[i]
		if at, _ := matches(line, s.query); at < 0 || s.shown && i != s.at && line == c.history.lines[s.at] {
			continue
		}
		c.hide()
		c.bring(line)
		s.at, s.shown, s.none = i, true, false
		return
	}
	s.none = true
}

// hide takes back the shown message.
func (c *Composer) hide() {
	if c.search.shown {
		c.undo()
		c.log.undone = nil
		c.search.shown = false
	}
}

// matches is where a line holds the query, in bytes. Small letters match large ones too.
func matches(line, query string) (from, to int) {
	if strings.ContainsFunc(query, unicode.IsUpper) {
		from = strings.Index(line, query)
		return from, from + len(query)
	}
	for i := range line {
		if n, ok := prefixFold(line[i:], query); ok {
			return i, i + n
		}
	}
	return -1, 0
}

// prefixFold reports whether s begins with the query, whatever the case, and how long that is in s.
func prefixFold(s, query string) (n int, ok bool) {
	for _, q := range query {
		r := rune(-1)
		size := 0
		for i, x := range s[n:] {
			if i == 0 {
				r = x
				continue
			}
			size = i
			break
		}
		if size == 0 {
			size = len(s) - n
		}
		if r == -1 || unicode.ToLower(r) != unicode.ToLower(q) {
			return 0, false
		}
		n += size
	}
	return n, true
}

// searchKey applies a key to an open search. A key that means nothing for it takes the shown
// message into the box, and then has its usual effect.
func (c *Composer) searchKey(k input.Key) (taken bool) {
	c.ready()
	s := &c.search
	a, _ := c.table().Lookup([]keymap.Focus{keymap.Editor}, k.Name)
	switch {
	case a.Name == keymap.SearchHistory || a.Name == keymap.Up || a.Name == keymap.Older:
		c.searchOlder()
	case a.Name == keymap.Interrupt || k.Name == "esc" || k.Name == "ctrl+c" || k.Name == "ctrl+g":
		c.hide()
		c.search = search{}
	case a.Name == keymap.Send || a.Name == keymap.Queue || k.Name == "enter" || k.Name == "tab":
		s.accept()
	case a.Name == keymap.Backspace || k.Name == "backspace" || k.Name == "ctrl+h":
		c.requery(s.query[:previousRune(s.query)])
	case k.Text != "":
		c.requery(s.query + clean(k.Text))
	default:
		s.accept()
		return false
	}
	return true
}

// maxQuery bounds what is searched for, in bytes. A longer text was pasted by mistake.
const maxQuery = 1 << 10

// requery searches for another text, from the newest message on.
func (c *Composer) requery(query string) {
	query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
	c.search.query, c.search.none = query, false
	c.hide()
	c.search.at = len(c.history.lines)
	c.find(len(c.history.lines))
}

func (s *search) accept() { *s = search{} }

// previousRune is where the last character of a query begins.
func previousRune(s string) int {
	return previous(s, 0, len(s))
}
