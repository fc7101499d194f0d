package code

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// class says what a byte can begin.
type class uint8

const (
	other class = iota
	space
	letter
	digit
	mark // of a comment or a string
)

// classes are the classes of all bytes, in one language.
type classes struct {
	of       [256]class
	prefixes bool // a string can begin with letters
}

// setUp makes the lazy tables of a language.
func (l *Language) setUp() *Language {
	l.set = lazy.Value[*classes]{Make: l.classes}
	l.roles = lazy.Value[map[string]row.Style]{Make: l.styles}
	return l
}

func (l *Language) classes() *classes {
	var set classes
	for c := range 256 {
		switch {
		case c == ' ' || c == '\t':
			set.of[c] = space
		case 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80, c == '_', c >= 0x80, strings.IndexByte(l.ident, byte(c)) >= 0:
			set.of[c] = letter
		case '0' <= c && c <= '9':
			set.of[c] = digit
		}
	}
	for _, m := range l.line {
		set.of[m[0]] = mark
	}
	for _, q := range l.quotes {
		if set.of[q.open[0]] == letter {
			set.prefixes = true
		} else {
			set.of[q.open[0]] = mark
		}
	}
	return &set
}

func (l *Language) styles() map[string]row.Style {
	styles := map[string]row.Style{}
	for w := range strings.FieldsSeq(l.words) {
		styles[w] = row.Keyword
	}
	for w := range strings.FieldsSeq(l.consts) {
		styles[w] = row.Number
	}
	return styles
}

// word colours the word at i.
func (s *Scanner) word(b *builder, i int, set *classes) int {
	begin, line := i, b.line
	for i < len(line) && (set.of[line[i]] == letter || set.of[line[i]] == digit) {
		i++
	}
	word := line[begin:i]
	if set.prefixes && len(word) <= maxPrefix {
		if end, ok := s.prefixed(b, begin, i); ok {
			return end
		}
	}
	if s.lang.noCase && len(word) <= maxKeyword {
		word = strings.ToLower(word)
	}
	style, known := s.lang.roles.Get()[word]
	switch {
	case known:
		b.put(begin, i, style)
	case s.lang.calls && i < len(line) && line[i] == '(':
		b.put(begin, i, row.Name)
	default:
		b.key(s.lang, begin, i)
	}
	return i
}

const (
	maxPrefix  = 3  // bytes before a string that belong to it, such as rb in Python
	maxKeyword = 32 // bytes; a longer word is not a keyword
)

// prefixed colours a string whose opening mark begins with letters, such as r"..." or R"(...)".
func (s *Scanner) prefixed(b *builder, begin, i int) (int, bool) {
	for k := range s.lang.quotes {
		q := &s.lang.quotes[k]
		if n := len(q.open); s.lang.of(q.open[0]) == letter && strings.HasPrefix(b.line[begin:], q.open) && begin+n > i {
			b.to(begin, row.Plain)
			s.in, s.depth = q, 1
			return s.quoted(b, begin, n), true
		}
	}
	return 0, false
}

func (l *Language) of(c byte) class { return l.set.Get().of[c] }

// number colours the number at i, with its digits in any base, its exponent and its unit.
func number(b *builder, i int, set *classes) int {
	begin, line := i, b.line
	for i < len(line) {
		c := line[i]
		if c == '.' && (i+1 == len(line) || set.of[line[i+1]] != digit) || c != '.' && set.of[c] != digit && set.of[c] != letter && !sign(line, begin, i) {
			break
		}
		i++
	}
	b.put(begin, i, row.Number)
	return i
}

// sign reports whether the character at i is the sign of the exponent of the number at begin.
func sign(line string, begin, i int) bool {
	return (line[i] == '+' || line[i] == '-') && i > begin && line[i-1]|0x20 == 'e' && !strings.HasPrefix(line[begin:], "0x") &&
		i+1 < len(line) && '0' <= line[i+1] && line[i+1] <= '9'
}

// key colours a word or a string as the key of an entry, if that is what it is.
func (b *builder) key(l *Language, begin, end int) {
	if l.keys == 0 {
		return
	}
	rest := strings.TrimLeft(b.line[end:], " \t")
	if rest == "" || rest[0] != l.keys || l.keys == ':' && len(rest) > 1 && rest[1] == ':' {
		return
	}
	if begin >= b.done {
		b.put(begin, end, row.Name)
		return
	}
	if n := len(b.row); end == b.done && n > 0 && len(b.row[n-1].Text) == end-begin {
		b.row[n-1].Style = row.Name
	}
}
