package model

import "unicode/utf8"

// scanner reads JSON text in place. A method that meets anything it does not
// expect returns false; the position is then meaningless and the caller starts
// over with encoding/json. It is strict where that package is lenient, so that a
// text it accepts means the same to both.
type scanner struct {
	data    []byte
	pos     int
	scratch []byte // decoded strings with escapes; reused
}

// maxDepth bounds the nesting of values that are skipped, and so the stack.
const maxDepth = 32

// peek returns the next byte after white space without taking it; 0 at the end.
func (s *scanner) peek() byte {
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

// eat takes c if it is next.
func (s *scanner) eat(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// word takes a literal such as null.
func (s *scanner) word(w string) bool {
	if s.peek() == 0 || len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

// object calls field with each key, positioned at its value, which field takes.
// Keys with escapes, capitals or non-ASCII letters end the scan: encoding/json
// would match them to fields by folding.
func (s *scanner) object(field func(key []byte) bool) bool {
	if !s.eat('{') {
		return false
	}
	if s.eat('}') {
		return true
	}
	for {
		key, ok := s.key()
		if !ok || !s.eat(':') || !field(key) {
			return false
		}
		if s.eat('}') {
			return true
		}
		if !s.eat(',') {
			return false
		}
	}
}

func (s *scanner) key() ([]byte, bool) {
	if !s.eat('"') {
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

// array calls elem at each element, which elem takes.
func (s *scanner) array(elem func() bool) bool {
	if !s.eat('[') {
		return false
	}
	if s.eat(']') {
		return true
	}
	for elem() {
		if s.eat(']') {
			return true
		}
		if !s.eat(',') {
			return false
		}
	}
	return false
}

// index takes a plain non-negative integer of at most nine digits.
func (s *scanner) index() (int, bool) {
	if s.peek() == 0 {
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

// skip takes any value.
func (s *scanner) skip(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch s.peek() {
	case '{':
		return s.object(func([]byte) bool { return s.skip(depth + 1) })
	case '[':
		return s.array(func() bool { return s.skip(depth + 1) })
	case '"':
		_, ok := s.str()
		return ok
	case 'n':
		return s.word("null")
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	}
	return s.number()
}

// number takes what the JSON grammar calls one.
func (s *scanner) number() bool {
	s.eat('-')
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

// next takes c if it follows at once, without white space.
func (s *scanner) next(c byte) bool {
	if s.pos == len(s.data) || s.data[s.pos] != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}
