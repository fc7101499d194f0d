package complete

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The score of a match. A character that begins a word or a name counts more than one inside,
// and a run of characters more than the same ones apart.
const (
	found       = 16 // each character
	afterSlash  = 12 // it begins a name of a path
	afterMark   = 10 // it follows a hyphen, an underline, a point or a space
	camel       = 8  // it is a large letter after a small one
	together    = 11 // it follows the character before in the candidate too
	gapBegins   = -4 // characters of the candidate were left out
	gapGoesOn   = -1 // each further one
	inLastName  = 24 // the whole match is in the last name of a path
	whole       = 64 // the match is all of the candidate
	wholeName   = 16 // the match is all of the last name of a path, apart from its extension
	firstFactor = 2  // the first character of the query counts its place twice
)

// longestQuery bounds a query, in characters: what follows does not count.
const longestQuery = 64

// pattern is a query, prepared for matching.
type pattern struct {
	chars     []string // its characters
	has       uint64
	size      int  // of the characters, in bytes
	exactCase bool // there are large letters
}

func newPattern(query string) *pattern {
	p := &pattern{exactCase: strings.ContainsFunc(query, unicode.IsUpper)}
	p.has = mask(fold(query))
	for query != "" && len(p.chars) < longestQuery {
		_, n := utf8.DecodeRuneInString(query)
		p.chars = append(p.chars, query[:n])
		p.size += n
		query = query[n:]
	}
	return p
}

// text is what the pattern is compared with.
func (p *pattern) text(it *item) string {
	if p.exactCase {
		return it.Text
	}
	return it.folded
}

// estimate is how well a candidate fits, found out fast: the best of a few ways in which it can
// match.
func (p *pattern) estimate(it *item) (score int32, ok bool) {
	if len(p.chars) == 0 {
		return -int32(strings.Count(it.Text[:it.base], "/")), true
	}
	if it.has&p.has != p.has {
		return 0, false
	}
	text := p.text(it)
	if len(text) == p.size { // it can only be all of it
		if s, ok := p.window(it, text, 0); ok {
			return s + inLastName + whole, true
		}
		return 0, false
	}
	if it.base > 0 {
		if s, ok := p.window(it, text, it.base); ok {
			return s + inLastName, true
		}
	} else if s, ok := p.window(it, text, 0); ok {
		return s + inLastName, true
	}
	return p.window(it, text, 0)
}

// window looks for the pattern in text from a byte on, and takes the shortest part that ends
// where the first match ends.
func (p *pattern) window(it *item, text string, from int) (score int32, ok bool) {
	end := from
	for _, c := range p.chars {
		n := index(text[end:], c)
		if n < 0 {
			return 0, false
		}
		end += n + len(c)
	}
	last := end
	for i := len(p.chars) - 1; i >= 0; i-- {
		c := p.chars[i]
		at := strings.LastIndex(text[from:end], c) + from
		if i == len(p.chars)-1 {
			at = end - len(c)
		}
		score += found
		switch b := bonus(it.Text, at); {
		case i == 0:
			score += firstFactor * b
		case b > 0:
			score += b
		}
		if i < len(p.chars)-1 {
			score += between(last - at - len(c))
		}
		end, last = at, at
	}
	return score, true
}

// index is strings.Index, faster for a single byte.
func index(text, c string) int {
	if len(c) == 1 {
		return strings.IndexByte(text, c[0])
	}
	return strings.Index(text, c)
}

// between is what n bytes between two matched characters cost, or bring if there are none.
func between(n int) int32 {
	if n == 0 {
		return together
	}
	return int32(gapBegins + gapGoesOn*min(n-1, 20))
}

// bonus is what the place of a character is worth.
func bonus(text string, at int) int32 {
	if at == 0 {
		return afterSlash
	}
	switch before := text[at-1]; {
	case before == '/':
		return afterSlash
	case before == '-' || before == '_' || before == '.' || before == ' ':
		return afterMark
	case 'a' <= before && before <= 'z' && 'A' <= text[at] && text[at] <= 'Z':
		return camel
	}
	return 0
}

// exact finds the best way in which a candidate matches. It reports the score and the bytes where the
// characters of the pattern are. A candidate that does not match has a score below 0.
func (p *pattern) exact(it *item) (score int32, at []int) {
	if len(p.chars) == 0 {
		score, _ = p.estimate(it)
		return score, nil
	}
	score, at = p.best(it, 0)
	if len(at) == utf8.RuneCountInString(it.Text) {
		score += whole
	}
	in, where := p.best(it, it.base)
	if where == nil {
		return score, at
	}
	in += inLastName
	if it.base > 0 && where[0] == it.base && where[len(where)-1]+len(p.chars[len(p.chars)-1]) == it.stem() && len(where) == utf8.RuneCountInString(it.Text[it.base:it.stem()]) {
		in += wholeName
	}
	if in > score {
		return in, where
	}
	return score, at
}

// stem is where the last name of a path ends, without its extension.
func (it *item) stem() int {
	name := strings.TrimSuffix(it.Text, "/")
	if i := strings.LastIndexByte(name, '.'); i > it.base {
		return i
	}
	return len(name)
}

// never is the score of what does not match.
const never = -1 << 20

// best compares the pattern with the text from a byte on, by dynamic programming: scores[j][i] is
// the best score of the first j+1 characters of which the last is at byte i.
func (p *pattern) best(it *item, from int) (score int32, at []int) {
	text := p.text(it)[from:]
	n := min(len(text), longestText)
	text = text[:n]
	scores, before := make([]int32, len(p.chars)*n), make([]int32, len(p.chars)*n)
	for j, c := range p.chars {
		open, opened := int32(never), -1 // the best earlier character, with the gap up to here
		for i := range n {
			k := j*n + i
			scores[k] = never
			if j > 0 && i > 0 {
				if prev := i - 1 - len(p.chars[j-1]); prev >= 0 {
					if s := scores[(j-1)*n+prev] + gapBegins; s > open+gapGoesOn {
						open, opened = s, prev
					} else {
						open += gapGoesOn
					}
				}
			}
			if !strings.HasPrefix(text[i:], c) {
				continue
			}
			b := bonus(it.Text, from+i)
			if j == 0 {
				scores[k] = found + firstFactor*b
				continue
			}
			s, where := open, opened
			if prev := i - len(p.chars[j-1]); prev >= 0 && scores[k-n-len(p.chars[j-1])]+together > s {
				s, where = scores[k-n-len(p.chars[j-1])]+together, prev
			}
			if s > never/2 {
				scores[k], before[k] = s+found+b, int32(where)
			}
		}
	}
	return p.trace(scores, before, n, from)
}

// longestText bounds the part of a candidate that is compared exactly, in bytes.
const longestText = 512

// trace finds the best end of a match, and from there where its characters are.
func (p *pattern) trace(scores, before []int32, n, from int) (score int32, at []int) {
	score = never
	last := len(p.chars) - 1
	end := -1
	for i := range n {
		if s := scores[last*n+i]; s > score {
			score, end = s, i
		}
	}
	if end < 0 {
		return never, nil
	}
	at = make([]int, len(p.chars))
	for j := last; j >= 0; j-- {
		at[j] = from + end
		end = int(before[j*n+end])
	}
	return score, at
}

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
