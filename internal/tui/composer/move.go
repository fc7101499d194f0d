package composer

// whole is the place itself, or the end of the character that it is inside of.
func (c *Composer) whole(p place) place {
	ln := &c.text.lines[p.line]
	if p.at == 0 || p.at >= len(ln.text) {
		return place{p.line, min(p.at, len(ln.text))}
	}
	from := c.rowStart(p)
	for i := from; i < p.at; {
		i = next(ln.text, i)
		if i >= p.at {
			return place{p.line, i}
		}
	}
	return p
}

// rowStart is the beginning of the row that a place is in, which is the beginning of a character.
func (c *Composer) rowStart(p place) int {
	ln := &c.text.lines[p.line]
	return ln.starts[c.layout.rowOf(ln, p.at)]
}

// left is the place one character before.
func (c *Composer) left(p place) place {
	if p.at == 0 {
		if p.line == 0 {
			return p
		}
		return place{p.line - 1, len(c.text.lines[p.line-1].text)}
	}
	ln := &c.text.lines[p.line]
	from := c.rowStart(p)
	if from == p.at { // the character is in the row before
		from = ln.starts[c.layout.rowOf(ln, p.at)-1]
	}
	return place{p.line, previous(ln.text, from, p.at)}
}

// right is the place one character behind.
func (c *Composer) right(p place) place {
	ln := &c.text.lines[p.line]
	if p.at < len(ln.text) {
		return place{p.line, next(ln.text, p.at)}
	}
	if p.line+1 < len(c.text.lines) {
		return place{p.line + 1, 0}
	}
	return p
}

// classBefore is the class of the character before a place; a line break is a space.
func (c *Composer) classBefore(p place) class {
	q := c.left(p)
	if q.line != p.line {
		return space
	}
	return classOf(c.text.lines[p.line].text[q.at:p.at])
}

func (c *Composer) classBehind(p place) class {
	s := c.text.lines[p.line].text
	if p.at == len(s) {
		return space
	}
	return classOf(s[p.at:next(s, p.at)])
}

// wordLeft is the beginning of the word before a place.
func (c *Composer) wordLeft(p place) place {
	first := place{}
	for p != first && c.classBefore(p) == space {
		p = c.left(p)
	}
	if p == first {
		return p
	}
	k := c.classBefore(p)
	for p != first && c.classBefore(p) == k {
		if p = c.left(p); k == atom {
			break
		}
	}
	return p
}

// wordRight is the end of the word behind a place.
func (c *Composer) wordRight(p place) place {
	end := c.text.end()
	for p != end && c.classBehind(p) == space {
		p = c.right(p)
	}
	if p == end {
		return p
	}
	k := c.classBehind(p)
	for p != end && c.classBehind(p) == k {
		if p = c.right(p); k == atom {
			break
		}
	}
	return p
}

func (c *Composer) lineBegin(p place) place { return place{p.line, 0} }

func (c *Composer) lineEnd(p place) place { return place{p.line, len(c.text.lines[p.line].text)} }

// row is the row that the cursor is in.
func (c *Composer) row() rowAt {
	return rowAt{c.cursor.line, c.layout.rowOf(&c.text.lines[c.cursor.line], c.cursor.at)}
}

// moveRows moves the cursor up or down by rows, in the column where the first such move began. It
// reports whether there was such a row.
func (c *Composer) moveRows(by func(*text, rowAt) (rowAt, bool)) bool {
	to, ok := by(&c.text, c.row())
	if !ok {
		return false
	}
	if c.last != vertical {
		c.goal = c.layout.column(&c.text.lines[c.cursor.line], c.cursor.at)
	}
	c.cursor = place{to.line, c.layout.at(&c.text.lines[to.line], to.row, c.goal)}
	c.now = vertical
	return true
}
