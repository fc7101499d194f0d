package chat

import (
	"bytes"
	"encoding/json"
	"strings"
)

// saysTwice reports whether an object in valid JSON has a member twice, at any depth. On the first level, names that
// differ in case only count as the same, because that is how tools read their arguments. Decoders
// take the last of the two, and say nothing.
func saysTwice(data []byte) bool {
	if !json.Valid(data) { // which bounds the depth, too
		return false
	}
	// level is an object or a list that is open.
	type level struct {
		object, name bool // name: the next token of the object is a name
		names        map[string]bool
	}
	var open []level
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return false // the end
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open); n > 0 && open[n-1].object {
			in := &open[n-1]
			if in.name {
				name := token.(string)
				if n == 1 {
					name = strings.ToUpper(strings.ToLower(name)) // both, for letters such as the long s
				}
				if in.names[name] {
					return true
				}
				if in.names == nil {
					in.names = map[string]bool{}
				}
				in.names[name] = true
			}
			in.name = !in.name
		}
		if delim, ok := token.(json.Delim); ok {
			open = append(open, level{object: delim == '{', name: delim == '{'})
		}
	}
}
