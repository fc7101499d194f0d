package composer

import "strings"

// typed puts a typed character at the cursor.
func (c *Composer) typed(s string) {
	if s == "!" && c.Empty() {
		c.setShell(true)
		return
	}
	c.change(c.cursor, c.cursor, clean(s), typing)
}

// eraseBack erases the character before the cursor. At the beginning it ends the shell mode.
func (c *Composer) eraseBack() {
	if c.cursor == (place{}) {
		if c.shell {
			c.setShell(false)
		}
		return
	}
	c.change(c.left(c.cursor), c.cursor, "", erasing)
}

func (c *Composer) eraseForward() {
	if to := c.right(c.cursor); to != c.cursor {
		c.change(c.cursor, to, "", erasing)
	}
}

// killLine cuts out the rest of the line, or the line break at its end.
func (c *Composer) killLine() {
	to := c.lineEnd(c.cursor)
	if to == c.cursor {
		to = c.right(to)
	}
	c.kill(c.cursor, to)
}

// killLineBack cuts out the beginning of the line, or the line break before it.
func (c *Composer) killLineBack() {
	from := c.lineBegin(c.cursor)
	if from == c.cursor {
		from = c.left(from)
	}
	c.kill(from, c.cursor)
}

// enter is the enter key: a backslash before the cursor makes a new line of it.
func (c *Composer) enter() Action {
	if s := c.text.lines[c.cursor.line].text; c.cursor == c.lineEnd(c.cursor) && strings.HasSuffix(s, `\`) {
		c.change(place{c.cursor.line, c.cursor.at - 1}, c.cursor, "\n", other)
		return None
	}
	return Submit
}
