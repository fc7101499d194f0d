package jsonscan

import "unicode/utf8"

// Text consumes a string and returns its value, valid until the next call. Text that is
// not UTF-8 and escaped surrogates end the scan; encoding/json repairs them.
func (s *Scanner) Text() ([]byte, bool) {
	if !s.Eat('"') {
		return nil, false
	}
	start, ascii := s.pos, true
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			raw := s.data[start : s.pos-1]
			return raw, ascii || utf8.Valid(raw)
		case c == '\\':
			s.scratch = append(s.scratch[:0], s.data[start:s.pos]...)
			return s.escaped()
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// escaped continues at the first backslash of a string; scratch holds the text before it.
func (s *Scanner) escaped() ([]byte, bool) {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch {
		case c == '"':
			return s.scratch, utf8.Valid(s.scratch)
		case c < ' ':
			return nil, false
		case c != '\\':
			s.scratch = append(s.scratch, c)
		case !s.escape():
			return nil, false
		}
	}
	return nil, false
}

// escape consumes the rest of an escape, after its backslash.
func (s *Scanner) escape() bool {
	if s.pos == len(s.data) {
		return false
	}
	c := s.data[s.pos]
	s.pos++
	if c == 'u' {
		return s.unicode()
	}
	if c >= utf8.RuneSelf || escapes[c] == 0 {
		return false
	}
	s.scratch = append(s.scratch, escapes[c])
	return true
}

var escapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicode consumes the four hexadecimal digits of an escape.
func (s *Scanner) unicode() bool {
	if len(s.data)-s.pos < 4 {
		return false
	}
	var r rune
	for _, c := range s.data[s.pos : s.pos+4] {
		d, ok := hex(c)
		if !ok {
			return false
		}
		r = r<<4 | d
	}
	s.pos += 4
	if 0xD800 <= r && r <= 0xDFFF {
		return false
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
	return true
}

func hex(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}
