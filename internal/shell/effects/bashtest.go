package effects

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// bashTest reads [[ … ]]. Operators that evaluate an operand as arithmetic make the command
// unclear, unless the operand is a number: a subscript in it can hold a command.
func (r *reader) bashTest(c *syntax.TestClause) {
	if len(r.command.Programs) >= maxPrograms {
		r.hidden("it runs too many programs")
		return
	}
	r.keep("[[")
	r.command.Programs = append(r.command.Programs, permit.Program{Name: "[[", Words: []string{"[["}, ReadOnly: true, Opens: permit.Nothing, Offline: true})
	r.nested(func() { r.testExpr(c.X) })
}

func (r *reader) testExpr(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		r.nested(func() { r.testExpr(x.X) })
	case *syntax.Word:
		r.printed(x)
	case *syntax.UnaryTest:
		r.unaryTest(x)
	case *syntax.BinaryTest:
		r.binaryTest(x)
	default:
		r.unclear("it holds a test that is not understood")
	}
}

func (r *reader) unaryTest(x *syntax.UnaryTest) {
	w, isWord := x.X.(*syntax.Word)
	switch x.Op {
	case syntax.TsNot:
		r.nested(func() { r.testExpr(x.X) })
	case syntax.TsEmpStr, syntax.TsNempStr:
		if isWord {
			r.printed(w)
		}
	case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsSmbLink, syntax.TsNoEmpty, syntax.TsRead, syntax.TsWrite, syntax.TsExec:
		if isWord {
			r.operand(r.word(w).text)
		}
	default:
		r.unclear("it holds a test that can evaluate arithmetic")
		r.substitutions(x)
	}
}

func (r *reader) binaryTest(x *syntax.BinaryTest) {
	left, isWord := x.X.(*syntax.Word)
	right, ok := x.Y.(*syntax.Word)
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		r.nested(func() { r.testExpr(x.X); r.testExpr(x.Y) })
		return
	case syntax.TsReMatch, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsBefore, syntax.TsAfter:
		if isWord && ok {
			r.printed(left)
			if _, literal := literalText(right.Parts); !literal && !isLiteralPattern(right) {
				r.printed(right)
			}
			return
		}
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		if isWord && ok && isNumber(r.word(left)) && isNumber(r.word(right)) {
			return
		}
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		if isWord && ok {
			r.operand(r.word(left).text)
			r.operand(r.word(right).text)
			return
		}
	}
	r.unclear("it holds a test that can evaluate arithmetic")
	r.substitutions(x)
}

// isLiteralPattern reports whether the shell replaces nothing in a pattern that it compares with.
func isLiteralPattern(w *syntax.Word) bool {
	return !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, isText := p.(*syntax.Lit)
		_, isQuoted := p.(*syntax.SglQuoted)
		return !isText && !isQuoted
	})
}

// isNumber reports whether a word is a number and nothing else.
func isNumber(w word) bool {
	return w.known && w.text != "" && strings.Trim(w.text, "0123456789") == ""
}
