package jsonrpc

import (
	"bytes"
	"encoding/json"
	"iter"
)

// members yields the members of the JSON object in b, in order: the name without quotes
// and the JSON of the value. It copies nothing and validates nothing.
//
// b may be cut off or broken anywhere: the members before the break are yielded
// regardless. A name with an incomplete value comes last, with an empty value.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		s := scanner{b: b}
		if !s.take('{') {
			return
		}
		for more := true; more; more = s.take(',') {
			name := s.value()
			if len(name) == 0 || name[0] != '"' || !s.take(':') {
				return
			}
			value := s.value()
			if !yield(unquote(name), value) || len(value) == 0 {
				return
			}
		}
	}
}

// scanner is a position in a JSON text.
type scanner struct {
	b []byte
	i int
}

// take skips white space and then c, and reports whether c was there.
func (s *scanner) take(c byte) bool {
	for s.i < len(s.b) && isSpace(s.b[s.i]) {
		s.i++
	}
	if s.i == len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

// value skips white space and then a value, and returns it. It is empty, not nil,
// if the text ends before the value certainly does.
func (s *scanner) value() []byte {
	for s.i < len(s.b) && isSpace(s.b[s.i]) {
		s.i++
	}
	start, depth := s.i, 0
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			if !s.skipString() {
				return s.b[:0]
			}
			if depth == 0 {
				return s.b[start:s.i:s.i]
			}
			continue
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':' || isSpace(c)):
			return s.b[start:s.i:s.i] // a number or a literal ends here
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				s.i++
				return s.b[start:s.i:s.i]
			}
		}
		s.i++
	}
	return s.b[:0]
}

// skipString moves past the string that starts here, and reports whether it ends.
func (s *scanner) skipString() bool {
	for s.i++; ; s.i++ {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			s.i = len(s.b)
			return false
		}
		end := s.i + n
		slashes := 0
		for end-slashes > s.i && s.b[end-slashes-1] == '\\' {
			slashes++
		}
		if s.i = end; slashes%2 == 0 {
			s.i++
			return true
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// unquote returns the text of a JSON string, nothing if its escapes are broken.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	_ = json.Unmarshal(quoted, &s)
	return []byte(s)
}
