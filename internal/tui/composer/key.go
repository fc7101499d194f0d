package composer

import (
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Action is what the caller has to do after a key.
type Action uint8

// The actions that a key can ask of the caller.
const (
	// None is nothing.
	None Action = iota
	// Submit is to send the draft: see [Composer.Take]. The draft may be blank.
	Submit
	// Recall is to put the last queued message into the box, with [Composer.Put].
	Recall
	// Files is that the user begins to complete a file: the caller brings the list of files up to
	// date and gives it to [Composer.OfferFiles], at once or later.
	Files

	notTaken // the command has no use now
)

// Key applies a key, as the table of keys has it. taken is false for a key that is not one of the
// box, or that has no use now: then nothing has changed, and the caller does what the table says.
func (c *Composer) Key(k input.Key) (a Action, taken bool) {
	if c.search.on && c.searchKey(k) {
		return None, true
	}
	if c.Vi && !c.popup.IsOpen() {
		c.ready()
		if a, taken = c.viKey(k); taken {
			return a, true
		}
	}
	for _, f := range c.Focus() {
		if found, ok := c.table().Lookup([]keymap.Focus{f}, k.Name); ok {
			if a, taken = c.Do(found.Name); taken || f != keymap.Completion {
				return a, taken
			}
		}
	}
	if k.Text == "" || !utf8.ValidString(k.Text) || c.vim.normal {
		return None, false
	}
	return c.press(edits(func(c *Composer) { c.typed(k.Text) }))
}

// Run is the text of the events at the beginning that are characters of the text and nothing else,
// and how many these are. [Composer.Type] does with them at once what [Composer.Key] does with
// each.
func (c *Composer) Run(events []input.Event) (text string, n int) {
	c.ready()
	if c.search.on || c.Vi || c.popup.IsOpen() || c.Empty() || strings.HasPrefix(c.text.lines[0].text, "/") {
		return "", 0
	}
	if _, _, word := c.token(); word {
		return "", 0
	}
	var b strings.Builder
	for ; n < len(events); n++ {
		k, ok := events[n].(input.Key)
		if !ok || !c.letter(k) {
			break
		}
		b.WriteString(k.Text)
	}
	return b.String(), n
}

// letter reports whether a key is a character that neither does anything nor begins a word that can
// be completed.
func (c *Composer) letter(k input.Key) bool {
	if k.Text == "" || strings.ContainsAny(k.Text, "@/") || !utf8.ValidString(k.Text) {
		return false
	}
	_, bound := c.table().Lookup([]keymap.Focus{keymap.Editor, keymap.Global}, k.Name)
	return !bound && !c.table().Begins([]keymap.Focus{keymap.Editor, keymap.Global}, k.Name)
}

// Type puts the text of [Composer.Run] at the cursor.
func (c *Composer) Type(text string) {
	c.press(edits(func(c *Composer) { c.typedWords(clean(text)) }))
}

// table is the table of keys.
func (c *Composer) table() *keymap.Table {
	if c.Keys == nil {
		return keymap.Default()
	}
	return c.Keys
}

// Focus is who takes keys, the innermost first, as in [keymap.Table.Lookup].
func (c *Composer) Focus() (path []keymap.Focus) {
	if c.popup.IsOpen() {
		path = append(path, keymap.Completion)
	}
	if c.Empty() {
		path = append(path, keymap.Empty)
	}
	return append(path, keymap.Editor, keymap.Global)
}

// Do carries out an action of the table of keys, such as [keymap.Undo]. taken is false if it is not
// one of the box, or has no use now.
func (c *Composer) Do(name string) (a Action, taken bool) {
	do := commands.Get()[name]
	if do == nil {
		return None, false
	}
	return c.press(do)
}

// press carries out a command.
func (c *Composer) press(do command) (a Action, taken bool) {
	c.ready()
	c.now = other
	version, at := c.version, c.cursor
	if a = do(c); a == notTaken {
		return None, false
	}
	c.cursor = c.whole(c.cursor) // a change beside it may have made one character of two
	if c.version != version || c.cursor != at {
		if wants := c.follow(); a == None {
			a = wants
		}
	}
	if c.now != recalling {
		c.history.back = 0
	}
	c.last = c.now
	return a, true
}

// up moves up by a row. At the first row it recalls queued messages, then history.
func (c *Composer) up() Action {
	switch {
	case c.last == recalling:
		if !c.older() {
			c.now = recalling
		}
	case c.moveRows(c.layout.above):
	case c.Queued && c.Untouched():
		return Recall
	default:
		c.older()
	}
	return None
}

// down moves down by a row. While earlier messages are shown it shows a newer one.
func (c *Composer) down() Action {
	switch {
	case c.last == recalling && c.newer():
	case c.moveRows(c.layout.below):
	default:
		c.cursor = c.text.end()
	}
	return None
}
