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
func braces(w *syntax.Word) []word {
	text := w.Lit()
	if strings.IndexByte(text, '{') < 0 {
		return nil
	}
	var words []word
	if m := listBraces.Get().FindStringSubmatch(text); m != nil {
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
		for i := from; i <= to; i++ {
			words = append(words, word{text: m[1] + strconv.Itoa(i) + m[4], known: true})
		}
	}
	return words
}
