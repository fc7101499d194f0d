package files

import (
	"bytes"
	"encoding/json"
)

// Records in a loose line are found by trying: a candidate begins at each brace, and ends
// where it is complete, or where the next bytes cannot be part of an object. Candidates
// are read by the grammar of JSON, and not by counting braces. So a record that begins
// inside the remains of another is found at once: its brace is not allowed there, or it
// closes a string that is followed by a name. Nothing before that place has to be tried
// again, and the time is in proportion to the log.
//
// A candidate may continue over the end of its line: that is how a record with a
// raw line feed in a string is put together again. It ends where the next line
// is sound, because a sound line was not written as a part of a string.

// salvage returns the next record of a loose line, or false at the end of the line and
// of the lines that were joined to it.
func (r *records) salvage() (record, bool) {
	for {
		c, ok := r.peek()
		switch {
		case !ok:
			return record{}, false
		case isBlank(c) || c == '\n':
			r.at++
		case c == '{':
			if rec, ok := r.try(); ok {
				r.salvaged++
				return rec, true
			}
		default:
			r.skip()
			r.lose(r.lines.number)
		}
	}
}

// skip passes the bytes up to the next brace.
func (r *records) skip() {
	if i := bytes.IndexByte(r.line.text[r.at:], '{'); i >= 0 {
		r.at += i
		return
	}
	r.at = len(r.line.text)
}

// peek returns the next byte, from this line or the next one. It returns 0 and false
// before a line that is not loose, and at the end of the log.
func (r *records) peek() (byte, bool) {
	for r.at == len(r.line.text) && r.advance() {
	}
	if r.kind != loose || r.at == len(r.line.text) {
		return 0, false
	}
	return r.line.text[r.at], true
}

// try reads a candidate, and returns it if it is a record: a complete object, which needs
// a type unless it is at the beginning of a line or directly behind a record.
func (r *records) try() (record, bool) {
	c, line := &r.candidate, r.lines.number
	c.begin(r, "")
	placed := !r.gap
	whole := c.object(maxDepth, false)
	for !whole && c.cutAtBrace() {
		r.lose(line)
		placed, line = false, r.lines.number
		c.begin(r, `{"`)
		whole = c.object(maxDepth, true)
	}
	if !whole {
		r.lose(line)
		if !c.narrow() {
			return record{}, false
		}
		placed = false
	}
	if !placed && !hasType(c.json) {
		r.lose(line)
		return record{}, false
	}
	return c.record(), true
}

// hasType reports whether an object has the type of an event. Parts of an event that are
// complete objects by chance mostly have none.
func hasType(object []byte) bool {
	var event struct {
		Type *string `json:"type"`
	}
	return json.Unmarshal(object, &event) == nil && event.Type != nil
}
