package complete

// Query is what the user has typed, prepared for texts that are in no [List].
type Query struct{ p *pattern }

// NewQuery prepares a query.
func NewQuery(text string) Query { return Query{newPattern(text)} }

// Score is how well a text matches. ok is false if it does not: all characters of the query must
// occur in their order. A higher score is a better match.
func (q Query) Score(text string) (score int, ok bool) {
	it := prepared(text)
	n, ok := q.p.estimate(&it)
	return int(n), ok
}

// At is the bytes of a text that matches where the characters of the query were found, in ascending
// order. It takes longer than Score.
func (q Query) At(text string) []int {
	it := prepared(text)
	_, at := q.p.exact(&it)
	return at
}

func prepared(text string) item {
	it := item{Candidate: Candidate{Text: text}, folded: fold(text)}
	it.has = mask(it.folded)
	return it
}
