package complete

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Candidate is something that the user can choose.
type Candidate struct {
	Text string // what is shown, and what is put into the input box
	Help string // shown behind it; "" for none
}

// Match is a candidate that fits a query.
type Match struct {
	Candidate
	At []int // the bytes of Text where the characters of the query were found, in ascending order
}

// List is candidates, prepared for ranking. It does not change, so several goroutines may use it.
type List struct {
	items []item
	paths bool
}

// item is a candidate with what ranking needs.
type item struct {
	Candidate
	folded string // the text in small letters, each as long as in the text
	base   int    // where the last name of a path begins
	has    uint64 // which letters and digits there are; see mask
}

// NewList makes a list of candidates such as commands. If nothing has been typed, they are
// offered in the given order.
func NewList(candidates []Candidate) *List { return newList(candidates, false) }

// NewPaths makes a list of paths with slashes. A match in the last name of a path counts more
// than one in its folders. If nothing has been typed, the paths with the fewest folders come
// first.
func NewPaths(paths []string) *List {
	candidates := make([]Candidate, len(paths))
	for i, p := range paths {
		candidates[i].Text = p
	}
	return newList(candidates, true)
}

func newList(candidates []Candidate, paths bool) *List {
	l := &List{items: make([]item, len(candidates)), paths: paths}
	for i, c := range candidates {
		it := item{Candidate: c, folded: fold(c.Text)}
		it.has = mask(it.folded)
		if paths {
			it.base = strings.LastIndexByte(strings.TrimSuffix(c.Text, "/"), '/') + 1
		}
		l.items[i] = it
	}
	return l
}

// Len is the number of candidates.
func (l *List) Len() int { return len(l.items) }

// refined is how many of the best candidates are compared exactly: a fast estimate chooses them.
const refined = 256

// scored is a candidate with how well it fits.
type scored struct{ index, score int32 }

// rank returns the candidates that fit the query, the best first, at most n, among those with the indexes
// within, or all of them. All characters of the query must occur in the candidate in their order. Large
// letters match only large ones, small letters match both. For an empty query every candidate fits. It
// also returns the indexes of all candidates that fit.
func (l *List) rank(query string, within []int32, narrowed bool, n int) (best []Match, fit []int32) {
	p := newPattern(query)
	keep := top{most: max(n, refined), list: l}
	try := func(i int32) {
		score, ok := p.estimate(&l.items[i])
		if !ok {
			return
		}
		fit = append(fit, i)
		keep.add(scored{i, score})
	}
	if narrowed {
		for _, i := range within {
			try(i)
		}
	} else {
		fit = make([]int32, 0, len(l.items)/4)
		for i := range l.items {
			try(int32(i))
		}
	}
	return l.exact(p, keep.all(), n), fit
}

// exact orders candidates by their exact scores and returns the best n.
func (l *List) exact(p *pattern, candidates []scored, n int) []Match {
	at := make(map[int32][]int, len(candidates))
	for i, c := range candidates {
		var where []int
		candidates[i].score, where = p.exact(&l.items[c.index])
		at[c.index] = where
	}
	slices.SortFunc(candidates, l.compare)
	out := make([]Match, 0, min(n, len(candidates)))
	for _, c := range candidates[:min(n, len(candidates))] {
		out = append(out, Match{l.items[c.index].Candidate, at[c.index]})
	}
	return out
}

// compare orders candidates: the better score, then for paths the shorter text, then the order
// of the list.
func (l *List) compare(a, b scored) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	if l.paths {
		if n := cmp.Compare(len(l.items[a.index].Text), len(l.items[b.index].Text)); n != 0 {
			return n
		}
	}
	return cmp.Compare(a.index, b.index)
}

// top keeps the best of many candidates.
type top struct {
	most   int
	list   *List
	kept   []scored
	full   bool
	border scored // if full, no candidate behind it is among the best
}

// add keeps a candidate. When there are twice as many as needed, the worse half is dropped.
func (t *top) add(s scored) {
	if t.full && t.list.compare(s, t.border) > 0 {
		return
	}
	t.kept = append(t.kept, s)
	if len(t.kept) == 2*t.most {
		t.all()
		t.full, t.border = true, t.kept[t.most-1]
	}
}

// all returns the best candidates, the best first.
func (t *top) all() []scored {
	slices.SortFunc(t.kept, t.list.compare)
	t.kept = t.kept[:min(len(t.kept), t.most)]
	return t.kept
}

// fold makes small letters of large ones, if those have the same number of bytes.
func fold(s string) string {
	if !utf8.ValidString(s) { // no characters: only letters of ASCII
		b := []byte(s)
		for i, c := range b {
			if 'A' <= c && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
		}
		return string(b)
	}
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

// mask is which of the letters and digits occur in a folded text; all other characters are one
// bit.
func mask(s string) (m uint64) {
	for i := range len(s) {
		m |= bit(s[i])
	}
	return m
}

func bit(c byte) uint64 {
	switch {
	case 'a' <= c && c <= 'z':
		return 1 << (c - 'a')
	case '0' <= c && c <= '9':
		return 1 << (26 + c - '0')
	}
	return 1 << (36 + c%28)
}
