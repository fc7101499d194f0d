package markdown

import (
	"unicode"
	"unicode/utf8"
)

// delim is a run of "*", "_" or "~".
type delim struct {
	mark       byte
	n, length  int // marks that are left, and how many there were
	piece      int
	open, shut bool
}

// delim reads a run of marks. Its neighbours decide whether it can open or close emphasis.
func (p *inline) delim(mark byte) delim {
	begin := p.at
	n := 0
	for begin+n < len(p.source) && p.source[begin+n] == mark {
		n++
	}
	before, _ := utf8.DecodeLastRuneInString(p.source[:begin])
	after, _ := utf8.DecodeRuneInString(p.source[begin+n:])
	if begin == 0 {
		before = ' '
	}
	if begin+n == len(p.source) {
		after = ' '
	}
	left := !unicode.IsSpace(after) && (!punct(after) || apart(before))
	right := !unicode.IsSpace(before) && (!punct(before) || apart(after))
	d := delim{mark: mark, n: n, length: n, open: left, shut: right}
	switch {
	case mark == '_':
		d.open = left && (!right || punct(before))
		d.shut = right && (!left || punct(after))
	case mark == '~' && n > 2:
		d.open, d.shut = false, false
	}
	p.put(n, piece{text: p.source[begin : begin+n]})
	d.piece = len(p.pieces) - 1
	return d
}

func punct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// apart reports whether a mark behind punctuation can be beside the character. Scripts without
// spaces are an addition to CommonMark: without it **「x」**y is not bold.
func apart(r rune) bool { return unicode.IsSpace(r) || punct(r) || r >= firstWide }

// firstWide is the first character of the scripts of East Asia.
const firstWide = 0x2e80

// matcher matches the marks of a paragraph, or of the text of a link.
type matcher struct {
	p      *inline
	stack  []*delim       // marks that may open something
	bottom [3 * 2 * 3]int // down to where a mark of a kind was searched for without success
}

// match matches the marks from a position of delims on, and forgets them. Each step removes a mark
// or is not repeated, so that the time grows with the number of marks only.
func (p *inline) match(from int) {
	m := matcher{p: p}
	for i := from; i < len(p.delims); i++ {
		d := &p.delims[i]
		for d.shut && d.n > 0 && m.shut(d) {
		}
		if d.open && d.n > 0 {
			m.stack = append(m.stack, d)
		}
	}
	for _, o := range m.stack {
		if p.growing && from == 0 && o.mark == '*' && o.n == 2 && o.piece+1 < len(p.pieces) {
			p.pieces[o.piece].text = ""
			p.pieces[o.piece+1].opened[bold]++
		}
	}
	p.delims = p.delims[:from]
}

// shut matches a mark with the last one that it can close.
func (m *matcher) shut(d *delim) bool {
	bottom := &m.bottom[kindOf(d)]
	for i := len(m.stack) - 1; i >= *bottom; i-- {
		o := m.stack[i]
		if !o.opens(d) {
			continue
		}
		m.apply(o, d)
		if m.stack = m.stack[:i]; o.n > 0 {
			m.stack = append(m.stack, o)
		}
		for k := range m.bottom {
			m.bottom[k] = min(m.bottom[k], len(m.stack))
		}
		return true
	}
	*bottom = len(m.stack)
	return false
}

// kindOf is a number for all that decides about which marks a mark can close.
func kindOf(d *delim) int {
	k := d.length % 3 * 6
	if d.open {
		k += 3
	}
	switch d.mark {
	case '*':
		return k
	case '_':
		return k + 1
	}
	return k + 2
}

// opens reports whether d closes o. Source: rules 9 and 10 of emphasis in CommonMark.
func (o *delim) opens(d *delim) bool {
	if o.mark != d.mark {
		return false
	}
	if o.mark == '~' {
		return o.length == d.length
	}
	return !(o.shut || d.open) || (o.length+d.length)%3 != 0 || o.length%3 == 0 && d.length%3 == 0
}

// apply gives an attribute to all that is between two marks, and uses these up.
func (m *matcher) apply(o, d *delim) {
	n, attribute := 1, italic
	switch {
	case o.mark == '~':
		n, attribute = o.n, strike
	case o.n >= 2 && d.n >= 2:
		n, attribute = 2, bold
	}
	pieces := m.p.pieces
	pieces[o.piece+1].opened[attribute]++
	pieces[d.piece].opened[attribute]--
	for _, x := range []*delim{o, d} {
		x.n -= n
		pieces[x.piece].text = pieces[x.piece].text[:x.n]
	}
}
