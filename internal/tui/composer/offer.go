package composer

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// offer is the completion at the cursor.
type offer struct {
	complete.Popup
	files  *complete.List
	from   place // of the @ or the slash
	closed bool  // the user has closed it; it stays closed in this word
}

func (o *offer) close() { o.Popup.Close() }

// OfferFiles gives the box the paths that can stand after an @. An open list of files is drawn again.
func (c *Composer) OfferFiles(list *complete.List) {
	c.ready()
	c.popup.files = list
	if at, _, ok := c.token(); ok && at == c.popup.from && c.sign(at) == "@" {
		c.popup.Use(list)
	}
}

// Popup is the rows of the completion, to be drawn below or above the box; none if it is closed.
func (c *Composer) Popup(width int) []row.Row { return c.popup.Rows(width) }

// sign is what is completed at a place: "/" is a command, "@" a file, "" the argument of a command.
func (c *Composer) sign(at place) string {
	text := c.text.lines[at.line].text[at.at:]
	if at == (place{}) || strings.HasPrefix(text, "@") {
		return text[:1]
	}
	return ""
}

// arguments is the list for the word at a place, nil if it is not the first argument of a command
// that has one.
func (c *Composer) arguments(at place) *complete.List {
	line := c.text.lines[0].text
	if at.line > 0 || c.shell || !strings.HasPrefix(line[:at.at], "/") {
		return nil
	}
	name, rest, _ := strings.Cut(line[1:at.at], " ")
	if strings.TrimSpace(rest) != "" {
		return nil
	}
	return c.Arguments[name]
}

// token is the word at the cursor if it can be completed: it begins with an @, or with a slash at
// the beginning of the text.
func (c *Composer) token() (at place, query string, ok bool) {
	if c.shell && c.cursor.line == 0 && c.cursor.at == 0 {
		return place{}, "", false
	}
	s := c.text.lines[c.cursor.line].text[:c.cursor.at]
	if len(s) > longestToken {
		s = s[len(s)-longestToken:]
	}
	skipped := c.cursor.at - len(s)
	if i, query, ok := openQuote(s); ok {
		return place{c.cursor.line, skipped + i}, query, !strings.ContainsFunc(query, isAtom)
	}
	i := strings.LastIndexAny(s, " \t") + 1
	w := s[i:]
	at = place{c.cursor.line, skipped + i}
	switch {
	case at == place{} && strings.HasPrefix(w, "/") && !c.shell:
	case strings.HasPrefix(w, "@"):
	case c.arguments(at) != nil:
		return at, w, !strings.ContainsFunc(w, isAtom)
	default:
		return place{}, "", false
	}
	return at, w[1:], !strings.ContainsFunc(w, isAtom)
}

// openQuote is the name of a file that is being written in quotes, as in @"my no, and where its @ is.
func openQuote(s string) (at int, name string, ok bool) {
	at = strings.LastIndex(s, `@"`)
	if at < 0 || at > 0 && !strings.ContainsRune(" \t", rune(s[at-1])) {
		return 0, "", false
	}
	name = s[at+len(`@"`):]
	return at, name, !strings.Contains(name, `"`)
}

// longestToken bounds the word that is completed, in bytes.
const longestToken = 1024

// follow keeps the completion at the word of the cursor: it opens it when the user types the word,
// and closes it behind it.
func (c *Composer) follow() Action {
	at, query, ok := c.token()
	if !ok {
		c.popup.close()
		c.popup.closed = false
		return None
	}
	if at != c.popup.from {
		c.popup.close()
		c.popup.from, c.popup.closed = at, false
	}
	if c.popup.IsOpen() {
		c.popup.Set(query)
		return None
	}
	if c.popup.closed || c.now != typing || query == "" && c.sign(at) == "" {
		return None
	}
	return c.open(at, query)
}

// OfferCommands gives the box the commands that can stand after a slash, of which the user may have
// typed a part: the list opens then, or an open one is drawn again.
func (c *Composer) OfferCommands(list *complete.List) {
	c.ready()
	c.Commands = list
	at, query, ok := c.token()
	switch {
	case !ok || c.sign(at) != "/":
	case c.popup.IsOpen():
		c.popup.Use(list)
	case c.now == typing && !c.popup.closed:
		c.open(at, query)
	}
}

// open opens the completion.
func (c *Composer) open(at place, query string) Action {
	c.popup.from, c.popup.closed = at, false
	if c.sign(at) == "/" {
		if c.Commands != nil {
			c.popup.Open(c.Commands, query)
		}
		return None
	}
	if list := c.arguments(at); c.sign(at) == "" {
		c.popup.Open(list, query)
		return None
	}
	list := c.popup.files
	if list == nil {
		list = complete.NewPaths(nil)
	}
	c.popup.Open(list, query)
	return Files
}

// completeNow is the tab key while nothing is open.
func (c *Composer) completeNow() Action {
	at, query, ok := c.token()
	if !ok {
		return notTaken
	}
	return c.open(at, query)
}

// closePopup closes the completion. It stays closed while the user goes on with the word.
func (c *Composer) closePopup() {
	c.popup.close()
	c.popup.closed = true
}

// acceptMeant is [Composer.accept] for the key that also sends. It takes a command only if it begins with what
// the user has typed, or if the user has chosen it in the list: a mistyped name must not become another command.
func (c *Composer) acceptMeant() Action {
	chosen, ok := c.popup.Chosen()
	at, query, word := c.token()
	if ok && word && c.sign(at) == "/" && !c.popup.Moved() && !strings.HasPrefix(strings.ToLower(chosen.Text), strings.ToLower(query)) {
		c.popup.close()
		return notTaken
	}
	return c.accept()
}

// accept puts the chosen candidate into the text, a path with spaces in quotes. A folder stays open, for
// what is in it, unless it is in quotes. If nothing
// fits, or a command was written in full, the key has its usual effect.
func (c *Composer) accept() Action {
	chosen, ok := c.popup.Chosen()
	at, query, word := c.token()
	if !ok || !word || c.sign(at) != "@" && chosen.Text == query {
		c.popup.close()
		return notTaken
	}
	from := place{at.line, at.at + len(c.sign(at))}
	s := clean(chosen.Text)
	if quoted := `"` + s + `"`; c.sign(at) == "@" && strings.ContainsAny(s, " \t") && !strings.Contains(s, `"`) {
		s = quoted
	}
	if strings.HasSuffix(s, "/") {
		c.change(from, c.cursor, s, other)
		return None // follow narrows what is offered
	}
	if c.classBehind(c.cursor) != space || c.cursor == c.lineEnd(c.cursor) {
		s += " "
	}
	c.change(from, c.cursor, s, other)
	c.popup.close()
	return None
}
