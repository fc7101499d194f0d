package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Set returns the text with a value of an object in it replaced, or added at the end of the
// object. path names the fields from the outermost object to the value; objects on the way that
// are missing, or null, are made. An empty text is one without an object. The error says what is
// wrong with the text.
func Set(text []byte, value json.RawMessage, path ...string) ([]byte, error) {
	if len(bytes.TrimSpace(Plain(text))) == 0 {
		if text = bytes.TrimRight(text, spaces); len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, "{}\n"...)
	}
	return checked(text, func(fields map[string]any) error {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
		for _, name := range path[:len(path)-1] {
			next, ok := fields[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				fields[name] = next
			}
			fields = next
		}
		fields[path[len(path)-1]] = v
		return nil
	}, func(plain []byte) ([]byte, error) { return set(text, plain, 0, value, path) })
}

// Remove returns the text without a value of an object in it. It is unchanged if there is no such
// value.
func Remove(text []byte, path ...string) ([]byte, error) {
	return checked(text, func(fields map[string]any) error {
		for _, name := range path[:len(path)-1] {
			if fields, _ = fields[name].(map[string]any); fields == nil {
				return nil
			}
		}
		delete(fields, path[len(path)-1])
		return nil
	}, func(plain []byte) ([]byte, error) { return removeAll(text, plain, path) })
}

// errChange says that a change would have altered more than it should. It does not happen in a
// text that this package reads rightly.
var errChange = errors.New("it cannot be changed without altering something else in it")

// checked changes a text, and refuses a result that means something else than want makes of what
// the text means.
func checked(text []byte, want func(map[string]any) error, change func(plain []byte) ([]byte, error)) ([]byte, error) {
	plain := Plain(text)
	var before, after map[string]any
	if err := json.Unmarshal(plain, &before); err != nil {
		return nil, err
	}
	if before == nil {
		return nil, errNoObject
	}
	if err := want(before); err != nil {
		return nil, err
	}
	changed, err := change(plain)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(Plain(changed), &after); err != nil || !reflect.DeepEqual(before, after) {
		return nil, errChange
	}
	return changed, nil
}

// set changes the object that begins at an offset.
func set(text, plain []byte, at int, value json.RawMessage, path []string) ([]byte, error) {
	o, err := readObject(plain, at)
	if err != nil {
		return nil, err
	}
	i := o.last(path[0])
	if len(path) > 1 {
		if i >= 0 && plain[o.members[i].value.from] == '{' {
			return set(text, plain, o.members[i].value.from, value, path[1:])
		}
		if value, err = nested(value, path[1:]); err != nil {
			return nil, err
		}
	}
	if i >= 0 {
		m, indent := o.members[i], indentOf(text, o.members[i].key.from)
		if lineStart(text, m.key.from)+len(indent) == m.key.from { // it has a line of its own
			value = formatted(value, indent, unit(text))
		}
		return splice(text, m.value, value), nil
	}
	return insert(text, o, path[0], value)
}

// nested returns a value in the objects of a path.
func nested(value json.RawMessage, path []string) (json.RawMessage, error) {
	for i := len(path) - 1; i >= 0; i-- {
		var err error
		if value, err = json.Marshal(map[string]json.RawMessage{path[i]: value}); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// insert adds a member at the end of an object.
func insert(text []byte, o object, name string, value json.RawMessage) ([]byte, error) {
	key, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	end := o.from + len(bytes.TrimRight(text[o.from:o.to-1], spaces)) // after the last member or comment
	outer := indentOf(text, o.from)
	indent := outer + unit(text)
	one := len(o.members) > 0 && !bytes.Contains(text[o.from:o.to], []byte("\n"))
	if n := len(o.members); n > 0 && !one {
		indent = indentOf(text, o.members[n-1].key.from)
	}
	added := append([]byte("\n"+indent), key...)
	added = append(append(added, ": "...), formatted(value, indent, unit(text))...)
	if one {
		added = append(append([]byte(" "), key...), ": "...)
		added = append(added, value...)
	}
	if !one && !bytes.Contains(text[end:o.to], []byte("\n")) {
		added = append(added, "\n"+outer...)
	}
	changed := splice(text, span{end, end}, added)
	if n := len(o.members); n > 0 {
		after := o.members[n-1].value.to
		if !bytes.Contains(withoutComments(text)[after:o.to], []byte(",")) {
			changed = splice(changed, span{after, after}, []byte(","))
		}
	}
	return changed, nil
}

// maxSame bounds how often a name is removed from one object. Each time, the text is read anew.
const maxSame = 100

// removeAll removes the members of a name, of which only the last counts.
func removeAll(text, plain []byte, path []string) ([]byte, error) {
	for range maxSame {
		at := 0
		var o object
		for i, name := range path {
			var err error
			if o, err = readObject(plain, at); err != nil {
				return nil, err
			}
			n := o.last(name)
			if n < 0 || i < len(path)-1 && plain[o.members[n].value.from] != '{' {
				return text, nil
			}
			at = o.members[n].value.from
		}
		text = o.without(text, o.last(path[len(path)-1]))
		plain = Plain(text)
	}
	return nil, fmt.Errorf("%q is in it %d times or more", path[len(path)-1], maxSame)
}

// without removes one member with its comma, and the line that it is on if nothing else is there.
func (o object) without(text []byte, n int) []byte {
	bare, m := withoutComments(text), o.members[n]
	gone := span{m.key.from, m.value.to}
	next := o.to - 1
	if n+1 < len(o.members) {
		next = o.members[n+1].key.from
	}
	own := bytes.IndexByte(bare[gone.to:next], ',')
	if own >= 0 && len(bytes.TrimLeft(text[gone.to:gone.to+own], spaces)) == 0 {
		gone.to += own + 1
		own = -2
	}
	from := len(bytes.TrimRight(text[:gone.from], spaces))
	comment := from > 0 && bare[from-1] == ' ' // before it; the brace must not get into one
	if rest := bytes.TrimLeft(text[gone.to:], " \t\r"); rest[0] == '\n' || !comment && len(text)-len(rest) == o.to-1 {
		gone.from = from
	}
	changed := splice(text, gone, nil)
	switch {
	case own >= 0: // a comment is before it
		at := m.value.to + own - (gone.to - gone.from)
		changed = splice(changed, span{at, at + 1}, nil)
	case own == -1 && n > 0:
		before := o.members[n-1].value.to
		if comma := bytes.IndexByte(bare[before:m.key.from], ','); comma >= 0 {
			changed = splice(changed, span{before + comma, before + comma + 1}, nil)
		}
	}
	return changed
}

// splice returns the text with a part replaced.
func splice(text []byte, s span, with []byte) []byte {
	out := make([]byte, 0, len(text)+len(with))
	return append(append(append(out, text[:s.from]...), with...), text[s.to:]...)
}

// formatted lays a value out in lines.
func formatted(value json.RawMessage, indent, unit string) []byte {
	var out bytes.Buffer
	if json.Indent(&out, value, indent, unit) != nil {
		return value // checked reports it
	}
	return out.Bytes()
}

// indentOf returns the blanks at the beginning of the line that an offset is in.
func indentOf(text []byte, at int) string {
	line := text[lineStart(text, at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// lineStart returns the offset of the beginning of the line that an offset is in.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// unit returns the blanks of one level, as far as the text shows them.
func unit(text []byte) string {
	for line := range bytes.Lines(text) {
		if n := len(line) - len(bytes.TrimLeft(line, " \t")); n > 0 && n < len(bytes.TrimRight(line, spaces)) && (line[n] == '"' || line[n] == '{') {
			return string(line[:n])
		}
	}
	return "  "
}
