package effects

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// The words with one pair of braces whose expansion is the same in every version of bash: a
// list of plain texts, or a range of small numbers.
var (
	listBraces = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^([\w./-]*)\{([\w./-]*(?:,[\w./-]*)+)\}([\w./-]*)$`)
	}}
	rangeBraces = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`^([\w./-]*)\{([1-9]\d?)\.\.([1-9]\d?)\}([\w./-]*)$`)
	}}
)

// braces returns the words that a word with braces expands to, nil for any other word.
func (r *reader) braces(w *syntax.Word) []word {
	text := w.Lit()
	if strings.IndexByte(text, '{') < 0 {
		return nil
	}
	r.spend(len(text), 1+len(text)/8) // for the patterns
	var words []word
	if m := listBraces.Get().FindStringSubmatch(text); m != nil {
		items := strings.Count(m[2], ",") + 1
		r.spend(items*(len(m[1])+len(m[3])+4*perItem)+len(text), items)
		for _, item := range strings.Split(m[2], ",") {
			if m[1]+item+m[3] != "" {
				words = append(words, word{text: m[1] + item + m[3], known: true})
			}
		}
		return words
	}
	if m := rangeBraces.Get().FindStringSubmatch(text); m != nil {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		r.spend(max(0, to-from+1)*(len(text)+4*perItem), 1)
		for i := from; i <= to; i++ {
			words = append(words, word{text: m[1] + strconv.Itoa(i) + m[4], known: true})
		}
	}
	return words
}
