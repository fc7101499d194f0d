package effects

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

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

// cmd reads one command of bash: a call of a program, a pipeline, or a compound command.
func (r *reader) cmd(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		if _, timed := c.Y.Cmd.(*syntax.TimeClause); timed && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) {
			r.hidden("time runs another program") // behind a pipe it is the program, not the word of bash
		}
		r.stmt(c.Y)
	case *syntax.Subshell:
		r.stmts(c.Stmts)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.TimeClause:
		r.besides([]string{"time"})
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
		r.forClause(c)
	case *syntax.CaseClause:
		r.caseClause(c)
	case *syntax.FuncDecl:
		r.unclear("it defines a function")
		if c.Body != nil {
			r.stmt(c.Body)
		}
	case *syntax.DeclClause:
		r.unclear("it sets variables")
		if slices.ContainsFunc(c.Args, startsProgram) {
			r.hidden("it sets a variable that may name a program")
		}
		r.besides(declared(c))
		r.substitutions(c)
	default:
		r.unclear("it holds arithmetic, a test or a coprocess of bash")
		r.substitutions(c)
	}
}

// declared returns export or a similar builtin, and the names that it sets.
func declared(c *syntax.DeclClause) []string {
	words := []string{c.Variant.Value}
	for _, a := range c.Args {
		if a.Name != nil {
			words = append(words, a.Name.Value)
		}
	}
	return words
}

func (r *reader) forClause(c *syntax.ForClause) {
	if loop, ok := c.Loop.(*syntax.WordIter); ok && !c.Select {
		r.words(loop.Items)
	} else {
		r.substitutions(c.Loop)
	}
	r.unclear("it sets a variable") // the variable may be PATH
	r.stmts(c.Do)
}

func (r *reader) caseClause(c *syntax.CaseClause) {
	r.word(c.Word)
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			r.word(pattern)
		}
		r.stmts(item.Stmts)
	}
}

// substitutions reads the commands that are substituted into a node, for a node that is
// not understood otherwise.
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

// call reads a program with its arguments, and the assignments before it.
func (r *reader) call(c *syntax.CallExpr) {
	if len(c.Assigns) > 0 {
		r.unclear("it sets variables, which may change what programs do")
		if slices.ContainsFunc(c.Assigns, startsProgram) {
			r.hidden("it sets a variable that may name a program")
		}
		for _, a := range c.Assigns {
			r.substitutions(a)
		}
	}
	if words := r.words(c.Args); len(words) > 0 {
		r.checkNumbers(words)
		r.program(words)
	}
}

// checkNumbers allows $? and similar numbers only for programs that do nothing but look
// at them. For any other program the number may complete the name of a file, and that
// file may be a link.
func (r *reader) checkNumbers(words []word) {
	if slices.ContainsFunc(words, func(w word) bool { return w.number }) && !slices.Contains(takesNumbers, words[0].text) {
		r.unclear("it uses a number whose value is not known before it runs")
	}
}

// takesNumbers are the programs that may be given a number that is not known.
var takesNumbers = []string{"echo", "printf", "exit", "return", "test", "["}
