package input

// Event is something that the user or the terminal has sent: a [Key], a [Paste], a [Focus], a
// [Background].
type Event interface{ event() }

// Key is one key that was pressed.
type Key struct {
	// Name names the key and its modifiers, in the order ctrl, alt, shift: "a", "ctrl+r",
	// "alt+enter", "shift+tab", "up", "esc". A character has itself as its name, "A" for shift
	// and a, "alt+A" with Alt, but "ctrl+shift+a" with Ctrl; a space is "space". The names of
	// the others are enter, tab, backspace, esc, up, down, left, right, home, end, pgup, pgdown,
	// insert, delete, begin, and f1 to f35. Ctrl with i, m and [ is tab, enter and esc, as it is
	// on terminals that cannot tell them apart; a key of other modifiers has "super+", "hyper+" or
	// "meta+" before its own name.
	Name string
	// Text is what the key writes, "" for keys that write nothing.
	Text string
}

// Paste is text that was pasted or dropped, with line feeds as its line breaks and without
// other control characters but tabs.
type Paste struct {
	Text string
	// Cut says that the text was longer than MaxPaste: its end is missing.
	Cut bool
}

// Focus says that the terminal's window has the focus, or has lost it. Terminals that do not
// tell are taken for focused.
type Focus struct{ In bool }

// Background is the answer of a terminal that was asked for its background.
type Background struct{ Dark bool }

func (Key) event()        {}
func (Paste) event()      {}
func (Focus) event()      {}
func (Background) event() {}
