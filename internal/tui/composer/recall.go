package composer

import "strings"

// recall is the earlier messages.
type recall struct {
	lines []string // oldest first
	back  int      // how far back the shown one is; 0 is none
}

// maxHistory bounds the history of the box, in messages.
const maxHistory = 2000

// SetHistory gives the box the earlier messages, oldest first. Messages of shell commands begin
// with an exclamation mark.
func (c *Composer) SetHistory(lines []string) {
	c.history.lines = append([]string(nil), lines...)
	c.history.back = 0
}

// remember adds a message to the history, unless it begins with a space or repeats the last one.
func (c *Composer) remember(line string) {
	h := &c.history
	n := len(h.lines)
	if strings.TrimSpace(line) == "" || line[0] == ' ' || n > 0 && h.lines[n-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if n >= maxHistory {
		h.lines = append([]string(nil), h.lines[n+1-maxHistory:]...)
	}
}

// older shows the message before the shown one. It reports whether there is one.
func (c *Composer) older() bool { return c.show(c.history.back + 1) }

// newer shows the message behind the shown one, and behind the last the draft itself.
func (c *Composer) newer() bool { return c.history.back > 0 && c.show(c.history.back-1) }

// show replaces the text by a message of the history, 1 for the newest, or by the draft, 0. All
// messages that are shown one after another are one change, so that undo brings the draft back.
func (c *Composer) show(back int) bool {
	if back > len(c.history.lines) {
		return false
	}
	if c.history.back > 0 && c.last == recalling {
		c.undo()
	}
	c.history.back = back
	if back > 0 {
		c.bring(c.history.lines[len(c.history.lines)-back])
	}
	c.now = recalling
	return true
}

// bring replaces the text by a message of the history.
func (c *Composer) bring(line string) {
	text, shell := strings.CutPrefix(line, "!")
	c.change(place{}, c.text.end(), c.refold(clean(text)), recalling)
	c.mode(shell)
}

// Drop empties the box and returns what was in it, as a line for the history; "" if it was empty.
// The draft is in the history of the box too, and undo brings it back.
func (c *Composer) Drop() (line string) {
	if c.Empty() {
		return ""
	}
	c.ready()
	c.finish()
	d := c.Draft()
	c.remember(d.Line())
	c.change(place{}, c.text.end(), "", other)
	c.mode(false)
	return d.Line()
}

// stashed is a draft that was put aside.
type stashed struct {
	text   string
	cursor place
	shell  bool
}

// swapStash puts the draft aside, or brings the one back that was put aside. If there are two, it
// exchanges them.
func (c *Composer) swapStash() {
	var aside *stashed
	if !c.Empty() {
		aside = &stashed{c.text.String(), c.cursor, c.shell}
	}
	back := c.stash
	if back == nil {
		back = &stashed{}
	}
	if aside == nil && c.stash == nil {
		return
	}
	c.change(place{}, c.text.end(), back.text, other)
	c.mode(back.shell)
	c.cursor, c.stash = back.cursor, aside
}
