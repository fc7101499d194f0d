package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// span is a part of a text, from one offset up to another one.
type span struct{ from, to int }

// member is a field of an object.
type member struct {
	name       string
	key, value span
}

// object is where an object is in a text. The span is that of its braces.
type object struct {
	span
	members []member
}

// errNoObject says that a text, or a value in it, is something else.
var errNoObject = errors.New("it is not a JSON object")

// readObject finds the members of the object that begins at or after an offset of a plain text.
func readObject(plain []byte, at int) (object, error) {
	d := json.NewDecoder(bytes.NewReader(plain[at:]))
	o := object{}
	switch t, err := d.Token(); {
	case err != nil:
		return o, err
	case t != json.Delim('{'):
		return o, errNoObject
	}
	offset := func() int { return at + int(d.InputOffset()) }
	o.from = offset() - 1
	for d.More() {
		m := member{}
		m.key.from = offset() + bytes.IndexByte(plain[offset():], '"')
		t, err := d.Token()
		if err != nil {
			return o, err
		}
		m.name, _ = t.(string) // a key is one
		m.key.to = offset()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return o, err
		}
		m.value = span{offset() - len(value), offset()}
		o.members = append(o.members, m)
	}
	if _, err := d.Token(); err != nil {
		return o, err
	}
	o.to = offset()
	return o, nil
}

// last returns the index of the last member of a name, which is the one that counts; -1 if there
// is none.
func (o object) last(name string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].name == name {
			return i
		}
	}
	return -1
}
