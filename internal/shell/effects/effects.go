// Package shell understands a shell command without running it: which programs it
// would run, which files and addresses it names, and whether all that can be said at
// all. [Understand] turns text into a [permit.Command], which rules judge.
//
// # What counts as understood
//
// The text is parsed as bash by mvdan.cc/sh. Only what has one meaning, whatever the
// state of the shell and of the disk, is understood; everything else makes the command
// unclear, with the reason. That is so of variables (but $HOME), command and process
// substitution, assignments, functions, braces, programs that run other programs, code
// on the command line of an interpreter, options that name a program, and characters
// that look like others. Nothing here is a list of what is dangerous that stands
// alone: a program is read-only only if it is listed with every option it was given.
//
// Programs that are hidden in what is unclear (in a substitution, behind sudo, in
// sh -c) are listed as far as they can be found, so that a deny rule finds them.
package effects

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// Bounds of what is read. Beyond them a command is unclear.
const (
	maxText     = 64 << 10 // bytes of a command; people are asked about what they can read
	maxPrograms = 256
	maxPaths    = 512
	maxDepth    = 32 // of commands within commands
	maxDirs     = 8  // folders that cd may have led to
)

// Understand says what a command would do in dir, as far as that can be known without
// running it.
//
// dir is where the shell is, home the home folder of its user, both absolute. resolve
// returns where an absolute, clean path really leads, symbolic links followed, "" if
// that cannot be known; it also gets paths whose last elements hold patterns (*, ?, [),
// and should then follow what they match. [Real] is one.
//
// It never fails: what it cannot understand is Unclear.
func Of(text, dir, home string, resolve func(string) string) permit.Command {
	r := &reader{home: home, resolve: resolve, dirs: []string{dir}}
	r.command.Text = text
	r.parse(text)
	if r.command.Unclear != "" {
		r.command.Alters = stateChange(text)
	}
	return r.command
}

// reader goes through a command.
type reader struct {
	command permit.Command
	home    string
	resolve func(string) string
	dirs    []string // where the shell may be, in the order it may have gone there
	moved   bool     // a cd led away from the first of them
	depth   int
}

// unclear notes the first reason why the command cannot be understood.
func (r *reader) unclear(why string) {
	if r.command.Unclear == "" {
		r.command.Unclear = why
	}
}

// hidden notes that programs may run that are not listed.
func (r *reader) hidden(why string) {
	r.unclear(why)
	r.command.Hidden = true
}

// text reads a command, the whole one or one that is an argument of another.
func (r *reader) parse(text string) {
	if why := misleading(text); why != "" {
		r.unclear(why)
	}
	if len(text) > maxText || r.depth >= maxDepth {
		r.hidden("it is too long to be read")
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.hidden("it cannot be parsed as bash")
		return
	}
	r.nested(func() { r.stmts(file.Stmts) })
}

// within reads what is one level nestedSubcommands.
func (r *reader) nested(f func()) {
	if r.depth >= maxDepth {
		r.hidden("it is nested too deeply to be read")
		return
	}
	r.depth++
	f()
	r.depth--
}

// misleading says what in a text may be read otherwise by people or other shells.
func misleading(text string) string {
	if strings.Contains(text, "\\\n") {
		return "a line goes on after a backslash"
	}
	for _, c := range text {
		switch {
		case c == '\n' || c == '\t' || c >= ' ' && c < 0x7f:
		case c == unicode.ReplacementChar:
			return "it is not UTF-8"
		case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0:
			return "it holds control characters"
		case unicode.In(c, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector):
			return "it holds invisible characters"
		}
	}
	return ""
}

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *reader) stmt(s *syntax.Stmt) {
	if s.Coprocess || s.Disown {
		r.unclear("it starts a coprocess")
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect)
	}
	if s.Cmd == nil {
		return
	}
	r.nested(func() { r.cmd(s.Cmd) })
}

func (r *reader) cmd(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		r.stmt(c.Y)
	case *syntax.Subshell:
		r.stmts(c.Stmts)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.stmts(c.Then)
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond)
		r.stmts(c.Do)
	case *syntax.ForClause:
		if loop, ok := c.Loop.(*syntax.WordIter); ok && !c.Select {
			r.words(loop.Items)
		} else {
			r.substitutions(c.Loop)
		}
		r.unclear("it sets a variable") // which PATH may be, too
		r.stmts(c.Do)
	case *syntax.CaseClause:
		r.word(c.Word)
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				r.word(pattern)
			}
			r.stmts(item.Stmts)
		}
	case *syntax.FuncDecl:
		r.unclear("it defines a function")
		if c.Body != nil {
			r.stmt(c.Body)
		}
	case *syntax.DeclClause:
		r.unclear("it sets variables")
		r.substitutions(c)
	default:
		r.unclear("it holds arithmetic, a test or a coprocess of bash")
		r.substitutions(c)
	}
}

// inside finds the commands in what is not understood.
func (r *reader) substitutions(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.nested(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.nested(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.CoprocClause:
			r.stmt(n.Stmt)
			return false
		}
		return true
	})
}

// call reads a command with its words.
func (r *reader) call(c *syntax.CallExpr) {
	if len(c.Assigns) > 0 {
		r.unclear("it sets variables, which may change what programs do")
		for _, a := range c.Assigns {
			r.substitutions(a)
		}
	}
	if words := r.words(c.Args); len(words) > 0 {
		r.checkNumbers(words)
		r.program(words)
	}
}

// numbers allows $? and its like where a number is only looked at. Elsewhere it may be
// the end of a file's name, and that file a link.
func (r *reader) checkNumbers(words []word) {
	if slices.ContainsFunc(words, func(w word) bool { return w.number }) && !slices.Contains(numeric, words[0].text) {
		r.unclear("it uses a number whose value is not known here")
	}
}

var numeric = []string{"echo", "printf", "exit", "return", "test", "["}

// redirect reads one redirection.
func (r *reader) redirect(d *syntax.Redirect) {
	if d.N != nil && strings.Trim(d.N.Value, "0123456789") != "" {
		r.unclear("a redirection sets a variable")
	}
	if d.Hdoc != nil {
		r.word(d.Hdoc)
	}
	if d.Word == nil || d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc {
		return
	}
	target := r.word(d.Word)
	switch d.Op {
	case syntax.WordHdoc:
	case syntax.DplIn, syntax.DplOut:
		if strings.Trim(target.text, "0123456789-") == "" && target.text != "" && target.known {
			return
		}
		r.redirectTarget(target, true)
	case syntax.RdrIn:
		r.redirectTarget(target, false)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		r.redirectTarget(target, true)
	default:
		r.unclear("it redirects in a way that is not known here")
	}
}

// target is the file of a redirection.
func (r *reader) redirectTarget(w word, written bool) {
	switch {
	case !w.known:
		return // said why already
	case w.pattern || w.number:
		r.unclear("it redirects to a name that is not known here")
	case strings.HasPrefix(w.text, "/dev/tcp/") || strings.HasPrefix(w.text, "/dev/udp/"):
		r.unclear("it opens a network connection")
	case w.text == "/dev/null", w.text == "/dev/stdout", w.text == "/dev/stderr":
		return
	}
	r.file(w.text, true)
	r.command.Redirects = r.command.Redirects || written
}
