package tool

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// These characters stand for \b and for a byte that is not UTF-8 while a pattern is
// written for ripgrep. They are from the private use area; a pattern that contains one is
// not passed to ripgrep.
const (
	wordMark = '\ue000'
	byteMark = '\ue001'
)

// foreign writes a parsed pattern for ripgrep. The result matches wherever ours does, and
// perhaps elsewhere, which costs us the search of a file. Ripgrep differs in three points:
// its \b is that of Unicode by default, its classes leave out bytes that are not UTF-8,
// and its lines keep the carriage return of Windows.
func foreign(re *syntax.Regexp) string {
	if !widen(re, true, true) {
		return ""
	}
	return strings.NewReplacer(escaped(wordMark), `(?-u:\b)`, escaped(byteMark), `(?-u:[\x80-\xff])`).Replace(re.String())
}

func escaped(r rune) string { return fmt.Sprintf(`\x{%x}`, r) }

// widen marks the parts of a pattern that ripgrep writes differently. It returns false if
// ripgrep has no equivalent for a part, or if there is a ^ that is not first or a $ that
// is not last, which ripgrep treats differently.
func widen(re *syntax.Regexp, first, last bool) bool {
	for i, sub := range re.Sub {
		either := re.Op == syntax.OpAlternate || re.Op == syntax.OpCapture
		row := re.Op == syntax.OpConcat
		if !widen(sub, first && (either || row && i == 0), last && (either || row && i == len(re.Sub)-1)) {
			return false
		}
	}
	switch re.Op {
	case syntax.OpNoWordBoundary:
		return false
	case syntax.OpLiteral:
		return !strings.ContainsAny(string(re.Rune), string([]rune{utf8.RuneError, wordMark, byteMark}))
	case syntax.OpWordBoundary:
		*re = literal(wordMark)
	case syntax.OpBeginLine:
		return first
	case syntax.OpEndLine:
		if !last {
			return false
		}
		end, cr := *re, literal('\r')
		*re = syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{{Op: syntax.OpQuest, Sub: []*syntax.Regexp{&cr}}, &end}}
	case syntax.OpAnyCharNotNL, syntax.OpCharClass:
		class, odd := *re, literal(byteMark)
		*re = syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{&class, &odd}}
	}
	return true
}

func literal(r rune) syntax.Regexp {
	return syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{r}}
}
