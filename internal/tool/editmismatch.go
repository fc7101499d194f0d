package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxExcerpt bounds the lines that are shown of the most similar passage.
	maxExcerpt = 12
	// maxCompared bounds the work of finding it: lines of the file times lines of the
	// text that was not found.
	maxCompared = 1 << 18
	// maxWords bounds how many words of a line are compared.
	maxWords = 16
)

// mismatch tells the model, after an edit whose old text does not occur in the file, which
// lines are most similar to it. It names the difference if that is only spaces, or the
// line numbers that view shows.
func mismatch(text, old string) string {
	if plain := unnumbered(old); plain != old && strings.Contains(text, plain) {
		return "It occurs without the line numbers that view shows: leave those out of old_str."
	}
	have, want := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\r\n"), "\n")
	if len(have)*len(want) > maxCompared {
		return "Use view with view_range, or grep, to see what the file holds there."
	}
	at, score := closest(have, want)
	switch {
	case at < 0:
		return "No line of the file is like it. Use view to see what the file holds."
	case score == len(want)*same:
		return fmt.Sprintf("These lines are the same but for spaces, tabs or line ends:\n%s\nTake them over exactly.", excerpt(have, at, len(want)))
	}
	return fmt.Sprintf("The lines that come nearest:\n%s\nTake over what is really there.", excerpt(have, at, len(want)))
}

// How similar a line of the file is to a line of the text that was not found.
const (
	similar = 1 // most of their words are the same
	same    = 4 // except for spaces
)

// closest returns the line of the file from which on the wanted lines match best, and how
// well. It returns -1 if nothing is similar.
func closest(have, want []string) (at, score int) {
	wanted := make([]line, len(want))
	for i, w := range want {
		wanted[i] = lineOf(w)
	}
	seen := make([]line, len(have))
	for i, h := range have {
		seen[i] = lineOf(h)
	}
	at = -1
	for i := range seen {
		n, told := 0, 0
		for j, w := range wanted {
			if i+j == len(seen) {
				break
			}
			like := w.like(seen[i+j])
			n += like
			if w.squeezed != "" {
				told += like
			}
		}
		if told > 0 && n > score {
			at, score = i, n
		}
	}
	return at, score
}

// line is a line in the form that is compared: without its spaces, and its first words.
type line struct {
	squeezed string
	words    []string
}

func lineOf(s string) line {
	words := strings.FieldsFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return line{squeezed: strings.Join(strings.Fields(s), ""), words: words[:min(len(words), maxWords)]}
}

func (l line) like(other line) int {
	if l.squeezed == other.squeezed {
		return same
	}
	common := 0
	for _, w := range l.words {
		if slices.Contains(other.words, w) {
			common++
		}
	}
	if 2*common > max(len(l.words), len(other.words)) {
		return similar
	}
	return 0
}

// excerpt shows n lines from index at, in the form of view.
func excerpt(lines []string, at, n int) string {
	var b strings.Builder
	for i := at; i < min(at+n, at+maxExcerpt, len(lines)); i++ {
		line, cut := shorten([]byte(lines[i]))
		number(&b, i+1, line, cut)
	}
	return b.String()
}

// unnumbered removes the line numbers of view, if each line has one.
func unnumbered(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		digits := len(l) - len(strings.TrimLeft(l, "0123456789"))
		rest, ok := strings.CutPrefix(l[digits:], ".")
		if digits == 0 || !ok {
			return s
		}
		lines[i] = strings.TrimPrefix(rest, " ")
	}
	return strings.Join(lines, "\n")
}
