package files

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// candidate is text that is read as an object byte by byte, over the ends of lines, and
// may turn out not to be one. Its methods, except begin and record, report whether they
// found what they read; otherwise the next byte is the first that did not fit.
type candidate struct {
	r    *records
	json []byte // the bytes read, with control characters in strings escaped
	off  int64  // where it began; -1 if json differs from the bytes there

	inner  [2]int // where in json the last complete object inside is
	closed int    // len(json) behind the last quote that closed a string
}

// begin starts again at the next byte. read is what has been read of the object already.
func (c *candidate) begin(r *records, read string) {
	*c = candidate{r: r, json: append(c.json[:0], read...), off: r.line.off + int64(r.at-len(read))}
}

// record returns the object that was read.
func (c *candidate) record() record {
	rec := record{json: c.json, off: c.off}
	if c.r.lines.fresh {
		rec.json = bytes.Clone(c.json)
	}
	return rec
}

// cutAtBrace reports whether the object failed directly behind a string that ends in a
// brace: then that string was never closed, and the brace begins a record that
// was appended behind half of this one.
func (c *candidate) cutAtBrace() bool {
	return c.closed == len(c.json) && bytes.HasSuffix(c.json, []byte(`{"`))
}

// narrow reduces the candidate to the object inside that was complete just where the
// candidate failed: a record that was appended behind half of another, which ended in a
// colon, a comma or a bracket.
func (c *candidate) narrow() bool {
	from, to := c.inner[0], c.inner[1]
	if to == 0 || len(bytes.Trim(c.json[to:], " \t\r")) > 0 {
		return false
	}
	c.json = c.json[from:to]
	if c.off >= 0 {
		c.off += int64(from)
	}
	return true
}

// object reads an object. If inName is set, its brace and the quote of its first name
// have been read already.
func (c *candidate) object(depth int, inName bool) bool {
	start := len(c.json)
	switch {
	case depth == 0:
		return false
	case inName:
		start -= 2
		if !c.restOfString() {
			return false
		}
	default:
		c.take()
		c.space()
		if c.accept('}') {
			return c.whole(start)
		}
		if !c.str() {
			return false
		}
	}
	for c.member(depth) {
		if c.accept('}') {
			return c.whole(start)
		}
		if !c.accept(',') {
			return false
		}
		c.space()
		if !c.str() {
			return false
		}
	}
	return false
}

func (c *candidate) whole(start int) bool {
	c.inner = [2]int{start, len(c.json)}
	return true
}

// member reads what follows a name.
func (c *candidate) member(depth int) bool {
	c.space()
	if !c.accept(':') {
		return false
	}
	c.space()
	if !c.value(depth - 1) {
		return false
	}
	c.space()
	return true
}

func (c *candidate) value(depth int) bool {
	switch b, _ := c.peek(); b {
	case '{':
		return c.object(depth, false)
	case '[':
		return c.list(depth)
	case '"':
		return c.str()
	}
	return c.word()
}

func (c *candidate) list(depth int) bool {
	if depth == 0 {
		return false
	}
	c.take()
	c.space()
	if c.accept(']') {
		return true
	}
	for c.value(depth - 1) {
		c.space()
		if c.accept(']') {
			return true
		}
		if !c.accept(',') {
			return false
		}
		c.space()
	}
	return false
}

// word reads a number, true, false or null.
func (c *candidate) word() bool {
	start := len(c.json)
	for {
		b, _ := c.peek()
		if !isDigit(b) && (b|0x20 < 'a' || b|0x20 > 'z') && b != '-' && b != '+' && b != '.' {
			break
		}
		c.take()
	}
	word := c.json[start:]
	return len(word) > 0 && skipValue(word, 0, 1) == len(word)
}

// space reads blanks, and turns line feeds into spaces.
func (c *candidate) space() {
	for {
		switch b, _ := c.peek(); b {
		case ' ', '\t', '\r':
			c.take()
		case '\n':
			c.instead(" ")
		default:
			return
		}
	}
}

func (c *candidate) str() bool { return c.accept('"') && c.restOfString() }

// restOfString reads a string behind its first quote. It escapes control characters. A
// NUL byte ends the string: data never arrived there, and what follows may be the end of
// another record.
func (c *candidate) restOfString() bool {
	for {
		c.plain()
		switch b, ok := c.peek(); {
		case !ok || b == 0:
			return false
		case b == '"':
			c.take()
			c.closed = len(c.json)
			return true
		case b == '\\':
			if !c.escape() {
				return false
			}
		case b < ' ':
			c.instead(escaped(b))
		}
	}
}

// plain reads the bytes that stand for themselves in a string, up to the end of the line.
func (c *candidate) plain() {
	text := c.r.line.text[c.r.at:]
	n := 0
	for n < len(text) && inString(text[n]) {
		n++
	}
	if c.r.kind != loose {
		return
	}
	c.r.at += n
	if utf8.Valid(text[:n]) {
		c.json = append(c.json, text[:n]...)
		return
	}
	c.json = append(c.json, bytes.ToValidUTF8(text[:n], replacement)...)
	c.off = -1
}

func (c *candidate) escape() bool {
	c.take()
	b, ok := c.peek()
	if !ok || bytes.IndexByte([]byte(`"\/bfnrtu`), b) < 0 {
		return false
	}
	c.take()
	for n := 0; b == 'u' && n < 4; n++ {
		if h, _ := c.peek(); !isDigit(h) && (h|0x20 < 'a' || h|0x20 > 'f') {
			return false
		}
		c.take()
	}
	return true
}

func escaped(b byte) string {
	switch b {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, b)
}

// peek is records.peek, up to the bound of a record.
func (c *candidate) peek() (byte, bool) {
	if len(c.json) >= maxLine {
		return 0, false
	}
	return c.r.peek()
}

func (c *candidate) accept(want byte) bool {
	if b, ok := c.peek(); !ok || b != want {
		return false
	}
	c.take()
	return true
}

// take reads the byte that peek has shown.
func (c *candidate) take() {
	c.json = append(c.json, c.r.line.text[c.r.at])
	c.r.at++
}

// instead reads a byte and replaces it by text.
func (c *candidate) instead(text string) {
	c.json = append(c.json, text...)
	c.off = -1
	c.r.at++
}
