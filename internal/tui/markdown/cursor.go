package markdown

import "strings"

// cursor is what is left of a line, and the column where it begins, which tabs depend on.
type cursor struct {
	text   string
	column int
}

// indent is how many columns of blanks the rest begins with. Tab stops are every four columns.
func (c *cursor) indent() int {
	at := c.column
	for i := range len(c.text) {
		switch c.text[i] {
		case ' ':
			at++
		case '\t':
			at += 4 - at%4
		default:
			return at - c.column
		}
	}
	return at - c.column
}

func (c *cursor) blank() bool { return strings.Trim(c.text, " \t") == "" }

// skip removes at most n columns of blanks. Of a tab that is cut, the rest stays as spaces.
func (c *cursor) skip(n int) {
	for n > 0 && c.text != "" {
		switch c.text[0] {
		case ' ':
			c.take(1)
			n--
		case '\t':
			w := 4 - c.column%4
			c.text = "    "[:w] + c.text[1:]
		default:
			return
		}
	}
}

// take removes n bytes, each of one column.
func (c *cursor) take(n int) { c.text, c.column = c.text[n:], c.column+n }

// rest is what is left, without the blanks that it begins with.
func (c *cursor) rest() string { return strings.TrimLeft(c.text, " \t") }
