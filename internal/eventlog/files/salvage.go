package files

import (
	"bytes"
	"encoding/json"
)

// What a loose line holds is found by trying: at each brace a candidate begins,
// and ends where it is whole or where what follows fits no object. Since it is
// read by the grammar, and not by counting braces, a record that begins inside
// the remains of another shows at once: its brace fits nowhere, or closes a
// string that is followed by a name. So nothing before that place has to be
// tried again, and the whole takes time in proportion to the log.
//
// A candidate may go on over the end of its line, which is how a record with a
// raw line feed in a string is put together again. It ends where the next line
// is sound: whoever wrote that did not write it into a string.

// salvage returns the next record of a loose line, or false once the line is
// done, and with it those that were joined to it.
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
			r.lose()
		}
	}
}

// skip passes what is no brace.
func (r *records) skip() {
	if i := bytes.IndexByte(r.line.text[r.at:], '{'); i >= 0 {
		r.at += i
		return
	}
	r.at = len(r.line.text)
}

// peek returns the next byte, from this line or the next. There is none, and it
// is 0, before a line that is not loose and at the end.
func (r *records) peek() (byte, bool) {
	for r.at == len(r.line.text) && r.advance() {
	}
	if r.kind != loose || r.at == len(r.line.text) {
		return 0, false
	}
	return r.line.text[r.at], true
}

// try reads a candidate, and returns the record if it is one: a whole object,
// with a type unless it stands where records stand.
func (r *records) try() (record, bool) {
	c := &r.candidate
	c.begin(r, "")
	placed := !r.gap
	whole := c.object(maxDepth, false)
	for !whole && c.cutAtBrace() {
		r.lose()
		placed = false
		c.begin(r, `{"`)
		whole = c.object(maxDepth, true)
	}
	if !whole {
		r.lose()
		if !c.narrow() {
			return record{}, false
		}
		placed = false
	}
	if !placed && !hasType(c.json) {
		r.lose()
		return record{}, false
	}
	return c.record(), true
}

// hasType says whether an object calls itself an event. Pieces of one that are
// whole by chance mostly do not.
func hasType(object []byte) bool {
	var event struct {
		Type *string `json:"type"`
	}
	return json.Unmarshal(object, &event) == nil && event.Type != nil
}
