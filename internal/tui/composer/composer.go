package composer

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Composer is the input box. The zero value is an empty one. It must not be copied after its first use.
type Composer struct {
	// Placeholder is shown while the box is empty.
	Placeholder string
	// Keys is the table of keys, nil for that of the program.
	Keys *keymap.Table
	// Vi gives the box the keys of vi: Esc begins its mode of commands. See [Composer.Mode].
	Vi bool
	// Commands are offered after a slash at the beginning of the text, without the slash, nil for
	// none.
	Commands *complete.List
	// Arguments are offered for the first argument of a command, by its name.
	Arguments map[string]*complete.List
	// Queued says that the caller has queued messages: the up key is then [Recall] on the empty box, and
	// at the first row of messages that were taken back; see [Composer.TakeBack].
	Queued bool

	text    text
	version int // grows with each change of the text
	taken   int // the version that holds what was taken back, 0 for none
	cursor  place
	goal    int // the column that up and down aim at, if moving up or down
	shell   bool
	layout  layout
	top     rowAt // the first row that is drawn
	atoms   atoms
	log     log
	ring    ring
	last    kind // what the last key did
	now     kind // what the present key does
	history recall
	search  search
	stash   *stashed
	popup   offer
	vim     vim
}

// kind is what a key does, as far as the next key must know it.
type kind uint8

const (
	other     kind = iota
	typing         // a character
	erasing        // a character
	killing        // text that yank brings back
	yanking        // brought back
	vertical       // up or down
	recalling      // of history
)

// Draft is what is in the box.
type Draft struct {
	// Text is the text with folded pastes in full. An attachment is in it by its label, such as
	// "[image 1: shot.png]".
	Text        string
	Attachments []Attachment
	// Shell says that the text is a shell command of the user, begun with an exclamation mark, which
	// is not a part of Text.
	Shell bool
}

// Blank reports whether there is nothing to send.
func (d *Draft) Blank() bool { return strings.TrimSpace(d.Text) == "" && len(d.Attachments) == 0 }

// Line is the draft as history keeps it: the text, after an exclamation mark for a shell command.
func (d *Draft) Line() string {
	if d.Shell {
		return "!" + d.Text
	}
	return d.Text
}

// ready makes the zero value usable.
func (c *Composer) ready() {
	c.text.init()
	if c.layout.labels == nil {
		c.layout.labels = c.atoms.label
	}
	if c.layout.width == 0 {
		c.layout.width = 80
	}
}

// Empty reports whether the box holds nothing, and is not in shell mode.
func (c *Composer) Empty() bool { return c.text.size == 0 && !c.shell }

// Version grows with each change of what is in the box.
func (c *Composer) Version() int { return c.version }

// Draft is what is in the box.
func (c *Composer) Draft() Draft {
	c.ready()
	s := c.text.String()
	return Draft{Text: c.atoms.expand(s), Attachments: c.atoms.attachments(s), Shell: c.shell}
}

// Take empties the box and returns what was in it. It cannot be undone. The draft is added to
// the history of the box, unless it is blank.
func (c *Composer) Take() Draft {
	d := c.Draft()
	c.remember(d.Line())
	c.text, c.cursor, c.top, c.shell = text{}, place{}, rowAt{}, false
	c.version++
	c.ready()
	c.log = log{}
	c.popup = offer{files: c.popup.files}
	c.search = search{}
	c.history.back = 0
	c.now, c.last = other, other
	c.vim = vim{change: c.vim.change, find: c.vim.find}
	c.sweep()
	return d
}

// Put replaces what is in the box, as with a queued message that the user takes back or with the
// text of an editor. The change can be undone. Attachments are put where the text has their labels; those
// whose label is not there are left out. A very long text is folded but for its first line.
func (c *Composer) Put(d Draft) {
	c.ready()
	c.finish()
	s := clean(d.Text)
	for _, f := range d.Attachments {
		before, after, found := strings.Cut(s, f.Label)
		if !found || f.Label == "" {
			continue
		}
		if char, ok := c.atoms.add(piece{label: f.Label, file: &f}); ok {
			s = before + char + after
		}
	}
	c.change(place{}, c.text.end(), c.refold(s), other)
	c.mode(d.Shell)
}

// TakeBack puts a queued message into the box, before those that were taken back and are still as they
// were.
func (c *Composer) TakeBack(d Draft) {
	if !c.Empty() {
		later := c.Draft()
		d.Text += "\n" + later.Text
		d.Attachments = append(d.Attachments[:len(d.Attachments):len(d.Attachments)], later.Attachments...)
	}
	c.Put(d)
	c.taken = c.version
}

// Untouched reports whether the box is empty, or holds what was taken back and nothing else.
func (c *Composer) Untouched() bool {
	return c.Empty() || c.taken > 0 && c.taken == c.version && !c.shell
}

// Insert puts text at the cursor, as it is. A long one is not folded.
func (c *Composer) Insert(s string) {
	c.ready()
	c.finish()
	c.change(c.cursor, c.cursor, clean(s), other)
}

// TypeLate puts characters at the cursor that the user has typed while the keys went elsewhere. An exclamation mark at the
// beginning of an empty box is a command of the shell, as it is for [Composer.Key].
func (c *Composer) TypeLate(s string) {
	c.ready()
	if rest, shell := strings.CutPrefix(s, "!"); shell && c.Empty() && !c.shell {
		c.setShell(true)
		s = rest
	}
	c.Insert(s)
}

// Attach puts an attachment at the cursor. ok is false if the box has no room for it.
func (c *Composer) Attach(f Attachment) (ok bool) {
	c.ready()
	c.finish()
	return c.insertAtom(c.atoms.attached(f))
}

// finish ends a search and closes the completion before a change from outside.
func (c *Composer) finish() {
	c.search.accept()
	c.popup.close()
	c.history.back = 0
	c.last = other
}
