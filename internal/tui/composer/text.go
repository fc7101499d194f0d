package composer

import (
	"strings"
	"unicode/utf8"
)

// place is a place in a text, between two characters.
type place struct {
	line int
	at   int // in bytes
}

// line is a line of the text, with what is known of the rows that it is wrapped to.
type line struct {
	text   string
	starts []int // where its first rows begin, in bytes
	whole  bool  // starts has all rows
}

// text is lines. The zero value has no text. All changes go through replace.
type text struct {
	lines []line
	size  int // of all lines and the breaks between them, in bytes
}

// init makes the one line that even an empty text has.
func (t *text) init() {
	if len(t.lines) == 0 {
		t.lines = []line{{}}
	}
}

// end is the place behind the last character.
func (t *text) end() place {
	last := len(t.lines) - 1
	return place{last, len(t.lines[last].text)}
}

// slice is the text between two places.
func (t *text) slice(from, to place) string {
	if from.line == to.line {
		return t.lines[from.line].text[from.at:to.at]
	}
	var b strings.Builder
	b.WriteString(t.lines[from.line].text[from.at:])
	for _, l := range t.lines[from.line+1 : to.line] {
		b.WriteByte('\n')
		b.WriteString(l.text)
	}
	b.WriteByte('\n')
	b.WriteString(t.lines[to.line].text[:to.at])
	return b.String()
}

func (t *text) String() string { return t.slice(place{}, t.end()) }

// replace puts s between two places. It returns the text that was there, and where s ends.
func (t *text) replace(from, to place, s string) (was string, end place) {
	was = t.slice(from, to)
	t.size += len(s) - len(was)
	first := &t.lines[from.line]
	head, tail := first.text[:from.at], t.lines[to.line].text[to.at:]
	if from.line == to.line && !strings.Contains(s, "\n") {
		first.text = head + s + tail
		first.changed(from.at)
		return was, place{from.line, from.at + len(s)}
	}
	parts := strings.Split(s, "\n")
	fresh := make([]line, len(parts))
	for i, p := range parts {
		fresh[i].text = p
	}
	last := len(parts) - 1
	end = place{from.line + last, len(parts[last])}
	if last == 0 {
		end.at += from.at
	}
	fresh[0].text = head + fresh[0].text
	fresh[0].starts = first.starts
	fresh[0].changed(from.at)
	fresh[last].text += tail
	t.splice(from.line, to.line+1, fresh)
	return was, end
}

// splice replaces lines, without a copy of all others if their number stays.
func (t *text) splice(from, to int, fresh []line) {
	if to-from == len(fresh) {
		copy(t.lines[from:to], fresh)
		return
	}
	grown := len(fresh) - (to - from)
	old := t.lines
	if n := len(old) + grown; n > cap(old) {
		t.lines = make([]line, n, n+n/4+16)
		copy(t.lines, old[:from])
	} else {
		t.lines = old[:n]
	}
	copy(t.lines[from+len(fresh):], old[to:])
	copy(t.lines[from:], fresh)
	if grown < 0 {
		clear(old[len(t.lines):])
	}
}

// changed forgets the rows that a change at a byte can alter: the row of the byte, the one before,
// which may take a word more, and those behind.
func (l *line) changed(at int) {
	n := len(l.starts)
	for n > 0 && l.starts[n-1] > at {
		n--
	}
	l.starts, l.whole = l.starts[:max(n-1, 0)], false
}

// clean makes a text fit for the box: line feeds are its line breaks, and there are no other control
// characters than tabs. Characters that stand for atoms in our text, from a private plane of
// Unicode, are replaced.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || 0x7f <= r && r < 0xa0:
			return -1
		case isAtom(r):
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// plain reports whether a text has only characters of ASCII that need no cleaning.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}
