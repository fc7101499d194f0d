package pager

import (
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// place is a row of the text: row counts in its item, at the width of the pager.
type place struct{ item, row int }

func (a place) before(b place) bool { return a.item < b.item || a.item == b.item && a.row < b.row }

// item is the rows of an item, none wider than the pager.
type item struct {
	rows []row.Row
	soft []bool // the row continues the one before, which was too wide
	// found are the matches of the search with that number.
	found  []match
	search int
}

// cacheRows is how many rows a generation of the cache holds, apart from those of its last item.
const cacheRows = 2000

// cache keeps the items that were used last, in two generations: what is used moves to the young
// one, and a full young generation becomes the old one.
type cache struct {
	young, old map[int]*item
	rows       int // of young
}

func (c *cache) get(i int) *item {
	if it := c.young[i]; it != nil {
		return it
	}
	it := c.old[i]
	if it != nil {
		c.put(i, it)
	}
	return it
}

func (c *cache) put(i int, it *item) {
	if c.young == nil || c.rows > cacheRows {
		c.young, c.old, c.rows = map[int]*item{}, c.young, 0
	}
	c.young[i] = it
	c.rows += 1 + len(it.rows)
}

// drop forgets the items from an index on.
func (c *cache) drop(from int) {
	for _, m := range []map[int]*item{c.young, c.old} {
		for i := range m {
			if i >= from {
				delete(m, i)
			}
		}
	}
}

// at is the rows of item i.
func (p *Pager) at(i int) *item {
	if it := p.items.get(i); it != nil {
		return it
	}
	it := &item{}
	for _, r := range p.source.Rows(i, p.width) {
		if r.Width() <= p.width {
			it.rows, it.soft = append(it.rows, r), append(it.soft, false)
			continue
		}
		for n, part := range r.Fold(p.width) {
			it.rows, it.soft = append(it.rows, part), append(it.soft, n > 0)
		}
	}
	p.items.put(i, it)
	return it
}

// body is how many rows of text are seen.
func (p *Pager) body() int { return max(p.height-1, 1) }

// next is the place after a place, or before it; ok is false at the ends.
func (p *Pager) next(at place) (place, bool) {
	if at.item < p.source.Len() && at.row+1 < len(p.at(at.item).rows) {
		return place{at.item, at.row + 1}, true
	}
	for i := at.item + 1; i < p.source.Len(); i++ {
		if len(p.at(i).rows) > 0 {
			return place{item: i}, true
		}
	}
	return at, false
}

func (p *Pager) previous(at place) (place, bool) {
	if at.row > 0 {
		return place{at.item, at.row - 1}, true
	}
	for i := at.item - 1; i >= 0; i-- {
		if n := len(p.at(i).rows); n > 0 {
			return place{i, n - 1}, true
		}
	}
	return at, false
}

// last is the top when the end of the text is seen.
func (p *Pager) last() place {
	top, ok := p.previous(place{item: p.source.Len()})
	for n := 1; ok && n < p.body(); n++ {
		top, ok = p.previous(top)
	}
	if !ok && top.item >= p.source.Len() {
		return place{}
	}
	return top
}

// move moves the top by n rows.
func (p *Pager) move(n int) {
	p.follow = false
	ok := true
	for ; n < 0 && ok; n++ {
		p.top, ok = p.previous(p.top)
	}
	for ; n > 0 && ok; n-- {
		p.top, ok = p.next(p.top)
	}
	p.settle()
}

// settle makes the top a place that exists, and shows no emptiness below the end.
func (p *Pager) settle() {
	if n := p.source.Len(); p.top.item >= n {
		p.top = place{item: max(n-1, 0)}
	}
	if p.source.Len() == 0 {
		p.top = place{}
		return
	}
	rows := len(p.at(p.top.item).rows)
	p.top.row = max(min(p.top.row, rows-1), 0)
	if rows == 0 {
		if next, ok := p.next(p.top); ok {
			p.top = next
		}
	}
	at, ok := p.top, true
	for n := 1; n < p.body() && ok; n++ {
		at, ok = p.next(at)
	}
	if _, more := p.next(at); p.follow || !ok || !more {
		p.top, p.follow = p.last(), true
	}
}

// resize keeps the text at the top of the screen where it is.
func (p *Pager) resize(width, height int) {
	if width == p.width && height == p.height {
		return
	}
	if width != p.width {
		top, origin := p.letters(p.top), p.letters(p.origin)
		p.width, p.items = width, cache{}
		p.top.row, p.origin.row = p.rowOf(p.top.item, top), p.rowOf(p.origin.item, origin)
	}
	p.height = height
	p.settle()
}

// letters is how many characters of an item are before a place.
func (p *Pager) letters(at place) (n int) {
	if at.item >= p.source.Len() {
		return 0
	}
	rows := p.at(at.item).rows
	for _, r := range rows[:min(at.row, len(rows))] {
		n += count(r)
	}
	return n
}

// rowOf is the row of an item that has the character after so many others.
func (p *Pager) rowOf(item, letters int) int {
	if letters == 0 {
		return 0
	}
	rows := p.at(item).rows
	for i, r := range rows {
		if letters -= count(r); letters < 0 {
			return i
		}
	}
	return max(len(rows)-1, 0)
}

// count is how many characters of a row are no spaces: wrapping does not change that.
func count(r row.Row) int {
	n := 0
	for _, s := range r {
		for _, c := range s.Text {
			if !unicode.IsSpace(c) {
				n++
			}
		}
	}
	return n
}
