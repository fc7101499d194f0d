package effects

import (
	"errors"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What judging one command may cost. A command that costs more is unclear, so that the user
// is asked, and deny rules count it as one that hides programs.
const (
	// maxBytes is how many bytes a judgement may produce: the tree of the parser, texts, lists
	// and what is read from the disk. What it counts is more than what is allocated, and all of
	// it is counted before it is allocated. 32 MiB is 20 times what the largest line of the
	// corpus needs, and one parse of 64 KiB that hold a command in every second byte.
	maxBytes = 32 << 20
	// maxSteps is how many steps a judgement may take. A step is one node of the tree, one word,
	// or one look at the disk, each of about a microsecond. All of them are a third of a second.
	maxSteps = 300_000
	// maxFrames is how many calls deep the parser may go, beyond its caller. It calls itself for
	// each nested part of a command, with up to 30 frames for each; maxDepth nested commands need
	// fewer than 1,000. Past the stack of Go, the whole process would end.
	maxFrames = 2000
	// maxTree is how many nodes below each other are looked at. maxDepth nested commands have a
	// few hundred.
	maxTree = 1000
)

// tooCostly is why a command is unclear that costs more than its budget.
const tooCostly = "it would take too long to find out what it does"

// budget is what one judgement may still spend. Everything that the judgement produces, calls
// spend before; so nothing is produced that no one has counted.
type budget struct{ bytes, steps int }

func newBudget() *budget { return &budget{bytes: maxBytes, steps: maxSteps} }

// spent unwinds the stack from [budget.spend] to [budget.covers], and goes no further.
type spent struct{}

// spend takes bytes and steps from the budget. If there are not enough, it does not return.
func (b *budget) spend(bytes, steps int) {
	if bytes > b.bytes || steps > b.steps {
		b.bytes, b.steps = 0, 0
		panic(spent{})
	}
	b.bytes -= bytes
	b.steps -= steps
}

// look counts one look at the disk, with the bytes of its path.
func (b *budget) look(path int) { b.spend(8*perItem+4*path, 2) }

// covers calls f, and reports whether the budget was enough. If it was not, f has ended early.
func (b *budget) covers(f func()) (enough bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case spent:
			enough = false
		default:
			panic(p)
		}
	}()
	f()
	return true
}

// Sizes in bytes, by which the budget counts what is allocated.
const (
	perItem = 64  // of a list: a word, a path
	perVar  = 128 // of a map of variables
	perNode = 400 // of the tree, for one character that is no letter; a|a|a needs the most
	perByte = 24  // of the tree, for any character
	// perKept and perKeptByte are for a text that stays in the result, and for each of its bytes:
	// every rule looks at it.
	perKept, perKeptByte = 512, 16
)

// parseCost is how many bytes the parser allocates for a text, at most: each node of the tree
// needs a character that is not part of a word.
func parseCost(text string) int {
	nodes := 1
	for i := range len(text) {
		if c := text[i]; !isNameByte(c) && c != '/' && c != '.' && c != '-' && c < 0x80 {
			nodes++
		}
	}
	return nodes*perNode + len(text)*perByte
}

// parseBash parses a text as bash.
func (b *budget) parseBash(text string) (*syntax.File, error) {
	b.spend(parseCost(text), 1+len(text)/8)
	return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(newShallow(text), "")
}

// shallow gives a text to the parser, and ends it with errTooDeep if the parser has called
// itself too often. The parser reads the next part only when it needs it, so it is as deep as
// the text before is nested.
type shallow struct {
	text  io.Reader
	limit int // the number of frames, with those of the parser's caller
}

var errTooDeep = errors.New("the command is nested too deeply")

func newShallow(text string) *shallow {
	frames := make([]uintptr, 1024)
	return &shallow{text: strings.NewReader(text), limit: runtime.Callers(0, frames) + maxFrames}
}

func (s *shallow) Read(p []byte) (int, error) {
	if frame := [1]uintptr{}; runtime.Callers(s.limit, frame[:]) > 0 {
		return 0, errTooDeep
	}
	return s.text.Read(p)
}

// walk calls f for the nodes of a tree, as [syntax.Walk] does, but not for nil. whole is false if
// some nodes are deeper than maxTree, so that f was not called for them: the parser builds a
// long list of a && b && c without a deep stack, but as a deep tree.
func (b *budget) walk(n syntax.Node, f func(syntax.Node) bool) (whole bool) {
	depth := 0
	whole = true
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		b.spend(0, 1)
		if depth >= maxTree {
			whole = false
		}
		if depth >= maxTree || !f(n) {
			return false
		}
		depth++
		return true
	})
	return whole
}
