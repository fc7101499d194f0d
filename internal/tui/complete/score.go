package complete

// Score is how well a text matches a query, and the bytes of the text where the characters of the
// query were found, in ascending order. ok is false if it does not match: all characters must
// occur in their order. A higher score is a better match.
func Score(query, text string) (score int, at []int, ok bool) {
	it := item{Candidate: Candidate{Text: text}, folded: fold(text)}
	it.has = mask(it.folded)
	p := newPattern(query)
	if _, ok := p.estimate(&it); !ok {
		return 0, nil, false
	}
	best, at := p.exact(&it)
	return int(best), at, best > never/2
}
