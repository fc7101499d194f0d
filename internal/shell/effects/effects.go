package effects

import (
	"errors"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// Bounds of a command. A command beyond one of them is unclear.
const (
	maxText     = 64 << 10 // bytes of a command; a user cannot review a longer one
	maxPrograms = 256
	maxPaths    = 512
	maxDepth    = 32 // commands nested in commands
	maxDirs     = 8  // folders that cd may have led to
)

// Of returns what a command would do if it ran in dir, as far as that can be known
// without running it.
//
// dir is the current directory of the shell and home the home folder of its user, both
// absolute. resolve returns every path that an absolute path may lead to once symbolic
// links are followed, which must happen before any ".." is removed; nil if that cannot be
// known. Elements of the path may be patterns (*, ?, [); then the matches count, too.
// [RealPaths] does all that.
//
// Of never fails: a command that it does not understand is Unclear.
func Of(text, dir, home string, resolve func(string) []string) permit.Command {
	return of(text, dir, home, resolve, newBudget())
}

// Judge is [Of] and [CheckGitSettings] with the files on this machine. Both have one budget:
// a command for which it is too small is Unclear.
func Judge(text, dir, home string) permit.Command {
	b := newBudget()
	c := of(text, dir, home, func(path string) []string { return b.realPaths(path) }, b)
	return b.checkGitSettings(c, dir)
}

func of(text, dir, home string, resolve func(string) []string, b *budget) permit.Command {
	r := &reader{findings: findings{budget: b, home: home, resolve: resolve, dirs: []string{dir}}}
	r.command.Text = text
	if !b.covers(func() { r.parse(text) }) {
		r.hidden(tooCostly)
	}
	if r.command.Unclear != "" {
		r.command.AltersShell = notRead
		b.covers(func() { r.command.AltersShell = r.stateChange() })
	}
	return r.command
}

// reader walks through one command and collects its effects.
type reader struct {
	findings
	whole *syntax.File // the whole command; nil if it could not be read
	depth int

	vars     map[string]value // variables that the command has set so far
	printing bool             // the word that is read is only printed or compared
	piped    bool             // the word that is read may be a pipe from another command
	rounds   int              // bodies of loops that have been read
	fed      bool             // the input is a list of regular files from find, for xargs -0
}

// parse reads a text as bash: the whole command, or an argument that is a command.
func (r *reader) parse(text string) {
	if len(text) > maxText || r.depth >= maxDepth {
		r.hidden("it is too long to be read")
		return
	}
	if why := misleading(text); why != "" {
		r.command.Suspect = r.command.Suspect || misleading(strings.ReplaceAll(text, "\\\n", "")) != ""
		r.unclear(why)
	}
	file, err := r.parseBash(text)
	switch {
	case errors.Is(err, errTooDeep):
		r.hidden("it is nested too deeply to be read")
		return
	case err != nil:
		r.hidden("it cannot be parsed as bash")
		return
	case r.doubtfulComment(file, text):
		r.hidden("it is not clear where a comment begins")
	case r.depth == 0:
		r.whole = file
	}
	r.nested(func() { r.stmts(file.Stmts) })
}

// doubtfulComment reports whether a comment begins in the middle of a word. In the first
// word of a case, the parser takes a # behind quotes for a comment; bash does not.
func (b *budget) doubtfulComment(file *syntax.File, text string) (doubtful bool) {
	whole := b.walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && c.Hash.Offset() > 0 {
			doubtful = doubtful || !strings.ContainsRune(" \t\n;&|()", rune(text[c.Hash.Offset()-1]))
		}
		return !doubtful
	})
	return doubtful || !whole
}

// nested calls f one level deeper, unless that is too deep.
func (r *reader) nested(f func()) {
	if r.depth >= maxDepth {
		r.hidden("it is nested too deeply to be read")
		return
	}
	r.depth++
	f()
	r.depth--
}

// continued is the reason of [misleading] that hides nothing from a user.
const continued = "a backslash continues a line"

// misleading returns the reason why a user or another shell may read the text in a
// different way than bash does, "" if there is none.
func misleading(text string) string {
	if strings.Contains(text, "\\\n") {
		return continued
	}
	for _, c := range text {
		switch {
		case c == '\n' || c == '\t' || c >= ' ' && c < 0x7f:
		case c == unicode.ReplacementChar:
			return "it is not UTF-8"
		case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0:
			return "it holds control characters"
		case invisible.Is(c), invisible.Space(c):
			return "it holds invisible characters"
		}
	}
	return ""
}
