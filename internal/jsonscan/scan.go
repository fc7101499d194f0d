// Package jsonscan parses JSON of a known shape in a tenth of the time that encoding/json
// needs. It is for streams with thousands of lines.
//
// It is strict where encoding/json is lenient, so a text that it accepts has the same
// meaning to both. It gives up on everything else, and the caller then uses
// encoding/json: text that is not UTF-8, escaped surrogates, names in capitals, more than
// 32 levels. Every package that uses it has a test that both ways agree.
//
// Begin with [Scanner]. [Deeper] is for JSON of others, before anything reads it on the stack.
package jsonscan

import "unicode/utf8"

// Scanner reads JSON text in place. A method that finds something that it does not expect
// returns false. The position is then undefined, and the caller starts again with
// encoding/json.
type Scanner struct {
	data    []byte
	pos     int
	scratch []byte // the last decoded string with escapes; reused
}

// maxDepth bounds the nesting of skipped values, and so the stack.
const maxDepth = 32

// Reset starts reading data, which must not change meanwhile.
func (s *Scanner) Reset(data []byte) { s.data, s.pos = data, 0 }

// Done reports whether only white space is left.
func (s *Scanner) Done() bool { return s.Peek() == 0 && s.pos == len(s.data) }

// Peek returns the next byte after white space without consuming it; 0 at the end.
func (s *Scanner) Peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// Eat consumes c if it is next.
func (s *Scanner) Eat(c byte) bool {
	if s.Peek() != c {
		return false
	}
	s.pos++
	return true
}

// Word consumes a literal such as null.
func (s *Scanner) Word(w string) bool {
	if s.Peek() == 0 || len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

// Object calls field for each key. The position is then at the key's value, which field
// must consume. Keys with escapes, capitals or non-ASCII letters end the scan:
// encoding/json would match them to fields in other case.
func (s *Scanner) Object(field func(key []byte) bool) bool {
	if !s.Eat('{') {
		return false
	}
	if s.Eat('}') {
		return true
	}
	for {
		key, ok := s.key()
		if !ok || !s.Eat(':') || !field(key) {
			return false
		}
		if s.Eat('}') {
			return true
		}
		if !s.Eat(',') {
			return false
		}
	}
}

func (s *Scanner) key() ([]byte, bool) {
	if !s.Eat('"') {
		return nil, false
	}
	start := s.pos
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start : s.pos-1], true
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z':
			return nil, false
		}
	}
	return nil, false
}

// Array calls elem for each element, which elem must consume.
func (s *Scanner) Array(elem func() bool) bool {
	if !s.Eat('[') {
		return false
	}
	if s.Eat(']') {
		return true
	}
	for elem() {
		if s.Eat(']') {
			return true
		}
		if !s.Eat(',') {
			return false
		}
	}
	return false
}

// Index consumes a plain non-negative integer of at most nine digits.
func (s *Scanner) Index() (int, bool) {
	if s.Peek() == 0 {
		return 0, false
	}
	start, n := s.pos, 0
	for ; s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9'; s.pos++ {
		n = n*10 + int(s.data[s.pos]-'0')
		if s.pos-start == 9 {
			return 0, false
		}
	}
	digits := s.pos - start
	return n, digits == 1 || digits > 1 && s.data[start] != '0'
}

// Skip consumes any value.
func (s *Scanner) Skip() bool { return s.skip(0) }

func (s *Scanner) skip(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch s.Peek() {
	case '{':
		return s.Object(func([]byte) bool { return s.skip(depth + 1) })
	case '[':
		return s.Array(func() bool { return s.skip(depth + 1) })
	case '"':
		_, ok := s.Text()
		return ok
	case 'n':
		return s.Word("null")
	case 't':
		return s.Word("true")
	case 'f':
		return s.Word("false")
	}
	return s.number()
}

// number consumes a number as the JSON grammar defines it.
func (s *Scanner) number() bool {
	s.Eat('-')
	if first := s.pos; s.digits() == 0 || s.data[first] == '0' && s.pos-first > 1 {
		return false
	}
	if s.next('.') && s.digits() == 0 {
		return false
	}
	if s.next('e') || s.next('E') {
		_ = s.next('+') || s.next('-')
		return s.digits() > 0
	}
	return true
}

// next consumes c if it is the very next byte, without white space before it.
func (s *Scanner) next(c byte) bool {
	if s.pos == len(s.data) || s.data[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

func (s *Scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}
