package tool

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
)

// maxSpans bounds the matches of one file that extend over several lines.
const maxSpans = 100_000

// query is a regular expression as grep looks for it.
type query struct {
	re *regexp.Regexp
	// spans means that a match may extend over several lines.
	spans bool
	// rg is a pattern that means the same to ripgrep; empty if there is none.
	rg string
}

// compile reads a pattern. The error is for the model.
func compile(pattern string, fold, multiline bool) (query, error) {
	flags := syntax.Perl &^ syntax.OneLine
	if fold {
		flags |= syntax.FoldCase
	}
	if multiline {
		flags |= syntax.DotNL
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return query{}, fmt.Errorf("the pattern is not a regular expression of RE2 syntax: %w. Put a backslash before ( ) [ ] { } . * + ? that you mean literally", err)
	}
	if !multiline && !withinLine(tree) {
		return query{}, errors.New("the pattern holds a line end, which never matches within a line; set multiline to true")
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return query{}, fmt.Errorf("the pattern cannot be used: %w", err)
	}
	q := query{re: re, spans: multiline}
	if !multiline {
		q.rg = foreign(tree)
	}
	return q, nil
}

// withinLine changes a pattern so that no match leaves its line, in any text: it
// removes the line end from all classes, and makes the ends of the text those of the line.
// It returns false if the pattern itself contains a line end.
func withinLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return false
			}
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags = syntax.OpEndLine, re.Flags&^syntax.WasDollar
	case syntax.OpCharClass:
		re.Rune = withoutLineEnd(re.Rune)
	}
	for _, sub := range re.Sub {
		if !withinLine(sub) {
			return false
		}
	}
	return true
}

// withoutLineEnd removes \n from a class, which is a list of pairs.
func withoutLineEnd(class []rune) []rune {
	var kept []rune
	for i := 0; i < len(class); i += 2 {
		lo, hi := class[i], class[i+1]
		if lo > '\n' || hi < '\n' {
			kept = append(kept, lo, hi)
			continue
		}
		if lo < '\n' {
			kept = append(kept, lo, '\n'-1)
		}
		if hi > '\n' {
			kept = append(kept, '\n'+1, hi)
		}
	}
	return kept
}

// extent is a piece of text: whole lines without the last line end.
type extent struct{ start, end int }

// matches yields the lines of text that match, counted from 1, in order. text has
// plain line ends.
func (q query) matches(text []byte) iter.Seq2[int, extent] {
	return func(yield func(int, extent) bool) {
		line, counted := 1, 0
		for at := range q.places(text) {
			line += bytes.Count(text[counted:at.start], []byte("\n"))
			for start := at.start; ; line++ {
				end := lineEnd(text, start)
				if !yield(line, extent{start, end}) {
					return
				}
				if counted = start; end >= at.end {
					break
				}
				start = end + 1
			}
		}
	}
}

// places yields where matches are, as whole lines that do not overlap.
func (q query) places(text []byte) iter.Seq[extent] {
	return func(yield func(extent) bool) {
		from := 0
		for m := range q.found(text) {
			last := max(m.start, m.end-1)
			if last < from || m.start == len(text) && text[len(text)-1] == '\n' {
				continue // on a line that was yielded, or behind the last
			}
			start := max(from, bytes.LastIndexByte(text[:m.start], '\n')+1)
			end := lineEnd(text, last)
			if !yield(extent{start, end}) {
				return
			}
			from = end + 1
		}
	}
}

// found yields matches. Of several matches within one line it yields the first.
func (q query) found(text []byte) iter.Seq[extent] {
	return func(yield func(extent) bool) {
		if q.spans {
			for _, m := range q.re.FindAllIndex(text, maxSpans) {
				if !yield(extent{m[0], m[1]}) {
					return
				}
			}
			return
		}
		for from := 0; from < len(text); {
			m := q.re.FindIndex(text[from:])
			if m == nil || !yield(extent{from + m[0], from + m[1]}) {
				return
			}
			from = lineEnd(text, from+m[0]) + 1
		}
	}
}

// lineEnd is the end of the line that contains text[at].
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}
