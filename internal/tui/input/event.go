package input

// Event is something that the user or the terminal has sent: a [Key], a [Paste], a [Focus], a
// [Background].
type Event interface{ event() }

// Key is one key that was pressed.
type Key struct {
	// Name names the key and its modifiers, in the order ctrl, alt, shift: "a", "ctrl+r",
	// "alt+enter", "shift+tab", "up", "esc". A character has itself as its name, "A" for shift
	// and a; a space is "space".
	Name string
	// Text is what the key writes, "" for keys that write nothing.
	Text string
}

// Paste is text that was pasted or dropped, with line feeds as its line breaks and without
// control characters.
type Paste struct{ Text string }

// Focus says that the terminal's window has the focus, or has lost it. Terminals that do not
// tell are taken for focused.
type Focus struct{ In bool }

// Background is the answer of a terminal that was asked for its background.
type Background struct{ Dark bool }

func (Key) event()        {}
func (Paste) event()      {}
func (Focus) event()      {}
func (Background) event() {}
