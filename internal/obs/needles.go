package obs

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// needles are the forms of secrets, in an index whose search takes time by the length of the
// text and not by the number of forms.
type needles struct {
	all    index // of every secret
	tokens index // of those that no ordinary text contains
}

// with returns the needles with the forms of more secrets. It takes time linear in the forms
// that there are, and sorts only those that are added.
func (n *needles) with(secrets []string) *needles {
	if n == nil {
		n = &needles{}
	}
	var all, tokens []string
	for _, secret := range secrets {
		forms := forms(secret)
		all = append(all, forms...)
		if isToken(secret) {
			tokens = append(tokens, forms...)
		}
	}
	return &needles{all: n.all.with(all), tokens: n.tokens.with(tokens)}
}

// index finds words of at least [MinSecret] bytes in texts. A filter by the first 8 bytes of
// the words passes over most places of a text; at the others, the words are searched by
// bisection. The zero value has no words.
type index struct {
	words             []string // ordered, none twice
	bytes             [][]byte // the same, if they are few
	shorter           []int32  // for each word, the longest other word that it begins with; -1 for none
	shortest, longest int      // bytes of a word
	filter            []uint64 // a set of bits, by hash; the length is a power of two
	shift             uint     // of a hash, to the number of a bit
}

// filterBits is the least number of bits of a filter for one word: one in 64 of the places of a
// text is searched although no word begins there.
const filterBits = 64

func (x *index) with(more []string) index {
	if len(more) == 0 {
		return *x
	}
	slices.Sort(more)
	out := index{words: merged(x.words, more), shift: 64 - 12}
	for 1<<(64-out.shift) < filterBits*len(out.words) {
		out.shift--
	}
	out.filter = make([]uint64, 1<<(64-out.shift)/64)
	out.shorter = make([]int32, len(out.words))
	out.shortest = len(out.words[0])
	for i, word := range out.words {
		if len(out.words) <= few {
			out.bytes = append(out.bytes, []byte(word))
		}
		h := hash(first(word)) >> out.shift
		out.filter[h/64] |= 1 << (h % 64)
		out.shortest, out.longest = min(out.shortest, len(word)), max(out.longest, len(word))
		out.shorter[i] = -1
		for at := int32(i) - 1; at >= 0; at = out.shorter[at] { // all words that this one begins with are in the chain of the one before
			if strings.HasPrefix(word, out.words[at]) {
				out.shorter[i] = at
				break
			}
		}
	}
	return out
}

// merged merges two ordered lists, without words that come twice.
func merged(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0] < a[0] {
			from = &b
		}
		if word := (*from)[0]; len(out) == 0 || out[len(out)-1] != word {
			out = append(out, word)
		}
		*from = (*from)[1:]
	}
	return out
}

// first is the first 8 bytes of a text as a number, the first byte the lowest.
func first[T string | []byte](text T) (n uint64) {
	for i := range 8 {
		n |= uint64(text[i]) << (8 * i)
	}
	return n
}

func hash(n uint64) uint64 { return n * 0x9e3779b97f4a7c15 }

// next returns the first place from which on a word may begin in a text, -1 for none.
func next[T string | []byte](x *index, text T, from int) int {
	if len(x.words) == 0 || len(text)-from < MinSecret {
		return -1
	}
	n := first(text[from:]) << 8 // the loop takes the eighth byte again
	filter, shift := x.filter, x.shift&63
	for i := from + 7; i < len(text); i++ {
		n = n>>8 | uint64(text[i])<<56
		if h := hash(n) >> shift; filter[h/64]&(1<<(h%64)) != 0 {
			return i - 7
		}
	}
	return -1
}

// at returns the length of the longest word that a text begins with, 0 for none.
func at[T string | []byte](x *index, text T) int {
	text = text[:min(len(text), x.longest)]
	i := int32(sort.Search(len(x.words), func(i int) bool { return x.words[i] > string(text) })) - 1
	if i < 0 {
		return 0
	}
	same := 0
	for word := x.words[i]; same < len(word) && same < len(text) && word[same] == text[same]; {
		same++
	}
	for ; i >= 0; i = x.shorter[i] {
		if n := len(x.words[i]); n <= same {
			return n
		}
	}
	return 0
}

// few is the number of words up to which searching a text for one after the other is faster
// than the index, by the processor's instructions for that. BenchmarkNeedles says: 1 MB takes some 1.3 ms for each
// word, and 2 ms in the index for any number of them.
const few = 1

// in reports whether a text has a word.
func (x *index) in(text []byte) bool {
	if len(x.words) <= few {
		return slices.ContainsFunc(x.bytes, func(word []byte) bool { return bytes.Contains(text, word) })
	}
	for i := next(x, text, 0); i >= 0; i = next(x, text, i+1) {
		if at(x, text[i:]) > 0 {
			return true
		}
	}
	return false
}

// occurrences returns the beginnings and ends of the parts of a text that are words, ordered.
// Words that overlap are one part.
func (x *index) occurrences(text string) (found [][2]int) {
	if len(x.words) <= few && !slices.ContainsFunc(x.words, func(word string) bool { return strings.Contains(text, word) }) {
		return nil
	}
	for i := next(x, text, 0); i >= 0; i = next(x, text, i+1) {
		n := at(x, text[i:])
		if n == 0 {
			continue
		}
		if last := len(found) - 1; last >= 0 && i < found[last][1] {
			found[last][1] = max(found[last][1], i+n)
		} else {
			found = append(found, [2]int{i, i + n})
		}
	}
	return found
}

// replace replaces each word. It does not copy a text that has none.
func (x *index) replace(text string) string {
	found := x.occurrences(text)
	if len(found) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, part := range found {
		out.WriteString(text[done:part[0]])
		out.WriteString(Redacted)
		done = part[1]
	}
	out.WriteString(text[done:])
	return out.String()
}

// begun returns where the beginning of a word, of at least [MinSecret] bytes, is the end of a
// text; -1 if none is.
func (x *index) begun(text string) int {
	for i := next(x, text, max(0, len(text)-x.longest)); i >= 0; i = next(x, text, i+1) {
		end := text[i:]
		if n := sort.SearchStrings(x.words, end); n < len(x.words) && strings.HasPrefix(x.words[n], end) {
			return i
		}
	}
	return -1
}
