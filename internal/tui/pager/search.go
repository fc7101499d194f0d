package pager

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// stepItems and stepRows bound how much one key or one Step searches.
const (
	stepItems = 64
	stepRows  = 1000
)

// match is where a match is in its item: the rows from and to, and the bytes in them.
type match struct{ from, to spot }

// spot is a byte in a row of an item.
type spot struct{ row, byte int }

// search is what is looked for. The zero value looks for nothing.
type search struct {
	query  string
	expr   *regexp.Regexp
	number int     // of the search, so that matches of others are not shown
	counts []int32 // how many matches each item has, -1 if it was not searched
	todo   int     // items that were not searched
	at     hit     // the match that the user is at
	seek   int     // 1 or -1 while the next match in that direction is looked for
	next   int     // the item that is searched next
	left   int     // items that the search in that direction may still look at
}

// hit is a match: the item, and which of its matches; -1 is none.
type hit struct{ item, n int }

// drop forgets the items from an index on.
func (s *search) drop(from int) {
	if from < len(s.counts) {
		s.counts = s.counts[:max(from, 0)]
	}
	s.todo = 0
	for _, n := range s.counts {
		if n < 0 {
			s.todo++
		}
	}
	if s.at.item >= from {
		s.at.n = -1
	}
}

// lookFor starts a search for a text, from where the user was when the field was opened.
func (p *Pager) lookFor(query string) {
	number := p.search.number + 1
	p.top, p.follow = p.origin, false
	p.search = search{query: query, number: number, at: hit{p.origin.item, -1}}
	if strings.TrimSpace(query) == "" {
		p.search.query = ""
		return
	}
	p.search.expr = expression(query)
	p.grow()
	p.seek(1)
}

// expression finds a text. Words of it may be on two rows. Small letters find capitals too.
func expression(query string) *regexp.Regexp {
	words := strings.Fields(query)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	text := strings.Join(words, `\s+`)
	if !strings.ContainsFunc(query, unicode.IsUpper) {
		text = "(?i)" + text
	}
	return regexp.MustCompile(text)
}

// grow makes room for the counts of items that were added.
func (p *Pager) grow() {
	for n := p.source.Len(); len(p.search.counts) < n; {
		p.search.counts = append(p.search.counts, -1)
		p.search.todo++
	}
}

// seek looks for the next match, or the one before.
func (p *Pager) seek(step int) {
	s := &p.search
	if s.expr == nil {
		p.note = "nothing is searched for: press " + p.keys.Key(keymap.PagerSearch)
		return
	}
	p.grow()
	if p.within(step) {
		return
	}
	s.seek, s.left = step, p.source.Len()
	s.next = s.at.item + step
	if s.at.n < 0 && step > 0 {
		s.next = p.top.item
	}
	p.Step()
}

// within goes to the next match of the item that the user is at, if it has one.
func (p *Pager) within(step int) bool {
	s := &p.search
	if s.at.n < 0 || s.at.item >= p.source.Len() {
		return false
	}
	n := s.at.n + step
	if n < 0 || n >= len(p.matches(s.at.item)) {
		return false
	}
	p.goTo(hit{s.at.item, n})
	return true
}

// Step continues a search for a short time, and reports whether there is more of it. The caller
// calls it while no key waits.
func (p *Pager) Step() bool {
	s := &p.search
	if s.expr == nil {
		return false
	}
	p.grow()
	rows := 0
	for n := 0; n < stepItems && rows < stepRows && (s.seek != 0 || s.todo > 0); n++ {
		i := p.choose()
		if i < 0 {
			break
		}
		if s.seek != 0 && s.counts[i] == 0 { // known, so it costs nothing
			n--
			p.pass(i)
			continue
		}
		if s.counts[i] < 0 {
			s.counts[i] = int32(len(p.matches(i)))
			s.todo--
			rows += len(p.at(i).rows)
		}
		if s.seek != 0 {
			p.arrive(i)
		}
	}
	return s.seek != 0 || s.todo > 0
}

// choose is the item to search now: on the way to the next match, or any that was not searched;
// -1 is none.
func (p *Pager) choose() int {
	s := &p.search
	n := p.source.Len()
	if n == 0 {
		s.seek, s.todo = 0, 0
		return -1
	}
	if s.seek == 0 {
		for i, c := range s.counts {
			if c < 0 {
				return i
			}
		}
		return -1
	}
	s.next = (s.next%n + n) % n
	return s.next
}

// arrive goes to a match of the item, if it has one in the direction of the search.
func (p *Pager) arrive(i int) {
	s := &p.search
	found := p.matches(i)
	n := 0
	if s.seek < 0 {
		n = len(found) - 1
	}
	if s.at.n < 0 && s.seek > 0 && i == p.top.item && s.left == p.source.Len() {
		n = sort.Search(len(found), func(k int) bool { return found[k].from.row >= p.top.row })
	}
	if n < 0 || n >= len(found) {
		p.pass(i)
		return
	}
	s.seek = 0
	p.goTo(hit{i, n})
}

// pass goes on to the item after one without a match. The search has ended when it was at all.
func (p *Pager) pass(i int) {
	s := &p.search
	s.next = i + s.seek
	if s.left--; s.left < 0 {
		s.seek = 0
	}
}

// goTo makes a match the one that the user is at, and moves it into view.
func (p *Pager) goTo(h hit) {
	p.search.at = h
	at := place{h.item, p.matches(h.item)[h.n].from.row}
	seen, ok := p.top, !at.before(p.top)
	for n := 1; n < p.body() && ok && seen.before(at); n++ {
		seen, ok = p.next(seen)
	}
	if ok && seen == at {
		return
	}
	p.top, p.mark = at, -1
	p.move(-p.body() / 3)
}

// matches are the matches of the search in item i.
func (p *Pager) matches(i int) []match {
	it := p.at(i)
	if it.search != p.search.number {
		it.search, it.found = p.search.number, find(p.search.expr, it)
	}
	return it.found
}

func find(expr *regexp.Regexp, it *item) (found []match) {
	if expr == nil {
		return nil
	}
	var text strings.Builder
	starts := make([]int, len(it.rows))
	for i, r := range it.rows {
		if i > 0 && !it.soft[i] {
			text.WriteByte('\n')
		}
		starts[i] = text.Len()
		for _, s := range r {
			text.WriteString(s.Text)
		}
	}
	at := func(offset int) spot {
		i := sort.SearchInts(starts, offset+1) - 1
		return spot{i, offset - starts[i]}
	}
	for _, m := range expr.FindAllStringIndex(text.String(), -1) {
		found = append(found, match{at(m[0]), at(m[1])})
	}
	return found
}

// highlighted is row n of item i with its matches.
func (p *Pager) highlighted(i, n int) row.Row {
	r := p.at(i).rows[n]
	for k, m := range p.matches(i) {
		if n < m.from.row || n > m.to.row {
			continue
		}
		from, to := 0, 1<<30
		if n == m.from.row {
			from = m.from.byte
		}
		if n == m.to.row {
			to = m.to.byte
		}
		style := row.Reverse
		if p.search.at == (hit{i, k}) {
			style |= row.Bold
		}
		r = mark(r, from, to, style)
	}
	return r
}

// mark is a row whose bytes from and to have further attributes.
func mark(r row.Row, from, to int, attributes row.Style) (out row.Row) {
	for _, s := range r {
		a, b := max(min(from, len(s.Text)), 0), max(min(to, len(s.Text)), 0)
		for _, part := range []struct {
			text  string
			style row.Style
		}{{s.Text[:a], 0}, {s.Text[a:b], attributes}, {s.Text[b:], 0}} {
			if part.text != "" {
				out = append(out, row.Span{Text: part.text, Style: s.Style | part.style, Link: s.Link})
			}
		}
		from, to = from-len(s.Text), to-len(s.Text)
	}
	return out
}
