package effects

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *reader) stmt(s *syntax.Stmt) {
	r.spend(perItem, 1)
	if s.Coprocess || s.Disown {
		r.unclear("it starts a coprocess")
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect)
	}
	if s.Cmd == nil {
		return
	}
	if s.Background {
		r.command.Stays = true
		r.nested(func() { r.scoped(func() { r.cmd(s.Cmd) }) })
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
		r.binary(c)
	case *syntax.Subshell:
		r.scoped(func() { r.stmts(c.Stmts) })
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.TimeClause:
		r.besides([]string{"time"})
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	case *syntax.IfClause:
		r.branching(c, func() {
			for ; c != nil; c = c.Else {
				r.stmts(c.Cond)
				r.scoped(func() { r.stmts(c.Then) })
			}
		})
	case *syntax.WhileClause:
		r.branching(c, func() {
			r.stmts(c.Cond)
			r.stmts(c.Do)
		})
	case *syntax.ForClause:
		r.branching(c, func() { r.forClause(c) })
	case *syntax.CaseClause:
		r.branching(c, func() { r.caseClause(c) })
	case *syntax.TestClause:
		r.bashTest(c)
	case *syntax.FuncDecl:
		r.unclear("it defines a function")
		if c.Body != nil {
			r.branching(c.Body, func() { r.stmt(c.Body) })
		}
	case *syntax.DeclClause:
		r.unclear("it sets variables")
		if slices.ContainsFunc(c.Args, startsProgram) {
			r.hidden("it sets a variable that may name a program")
		}
		r.besides(declared(c))
		r.substitutions(c)
	default:
		r.unclear("it holds arithmetic or a coprocess of bash")
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

// binary reads a pipeline or a list such as a && b.
func (r *reader) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt:
		r.scoped(func() { r.chain(c) })
	case syntax.OrStmt:
		r.stmt(c.X)
		r.scoped(func() { r.stmt(c.Y) })
	default:
		r.scoped(func() { r.stmt(c.X) })
		if _, timed := c.Y.Cmd.(*syntax.TimeClause); timed {
			r.hidden("time runs another program") // behind a pipe it is the program, not the word of bash
		}
		fed := r.fed
		r.fed = feedsXargs(c)
		r.scoped(func() { r.stmt(c.Y) })
		r.fed = fed
	}
}

// chain reads a && b && c: what comes later runs only if everything before it has run.
func (r *reader) chain(c *syntax.BinaryCmd) {
	if first, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && first.Op == syntax.AndStmt && !c.X.Background && len(c.X.Redirs) == 0 {
		r.nested(func() { r.chain(first) })
	} else {
		r.stmt(c.X)
	}
	r.stmt(c.Y)
}

func (r *reader) forClause(c *syntax.ForClause) {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !isOwnVariable(loop.Name.Value) {
		r.substitutions(c.Loop)
		r.unclear("it sets a variable") // the variable may be PATH
		r.stmts(c.Do)
		return
	}
	r.loop(loop.Name.Value, r.words(loop.Items), c.Do)
}

func (r *reader) caseClause(c *syntax.CaseClause) {
	r.printed(c.Word)
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			r.printed(pattern)
		}
		r.scoped(func() { r.stmts(item.Stmts) })
	}
}

// substitutions reads the commands that are substituted into a node, for a node that is
// not understood otherwise.
func (r *reader) substitutions(n syntax.Node) {
	whole := r.walk(n, func(n syntax.Node) bool {
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
	if !whole {
		r.hidden("it is nested too deeply to be read")
	}
}

// call reads a program with its arguments, and the assignments before it.
func (r *reader) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		r.assign(c.Assigns)
		return
	}
	name := c.Args[0].Lit()
	for _, a := range c.Assigns {
		if !isHarmlessSetting(a) && !(name == "read" && a.Name != nil && a.Name.Value == "IFS" && a.Value == nil) {
			r.unclear("it sets variables, which may change what programs do")
			if startsProgram(a) {
				r.hidden("it sets a variable that may name a program")
			}
			r.substitutions(a)
		}
	}
	printing, piped := r.printing, r.piped
	r.printing, r.piped = slices.Contains(prints, name), slices.Contains(readsPipes, name)
	words := r.words(c.Args)
	r.printing, r.piped = printing, piped
	if r.braces(c.Args[0]) != nil {
		r.hidden("the name of a program cannot be read")
	}
	if len(words) > 0 {
		r.checkNumbers(words)
		r.program(words)
	}
}

// checkNumbers allows $? and similar numbers, and texts that are not known, only for
// programs that do nothing but look at them. For any other program the text may complete the
// name of a file, and that file may be a link.
func (r *reader) checkNumbers(words []word) {
	unknown := func(w word) bool { return w.data }
	switch name := words[0].text; {
	case slices.ContainsFunc(words, func(w word) bool { return w.number }) && !slices.Contains(takesNumbers, name):
		r.unclear("it uses a number whose value is not known before it runs")
	case !slices.ContainsFunc(words, unknown) || name == "echo":
	case name == "printf" && len(words) > 2 && !words[1].data && !strings.HasPrefix(words[1].text, "-"):
	case (name == "test" || name == "[") && !slices.ContainsFunc(comparison(words), unknown):
	default:
		r.unclear("it uses a text that is not known before it runs")
	}
}

// comparison returns those words of a call of test or [ that must be known, so that the others
// cannot become an operator: all but the operands of one comparison of texts or numbers.
func comparison(words []word) []word {
	rest := words[1:]
	if words[0].text == "[" && len(rest) > 0 {
		rest = rest[:len(rest)-1]
	}
	switch {
	case len(rest) == 2 && (rest[0].text == "-n" || rest[0].text == "-z"):
		return rest[:1]
	case len(rest) == 3 && slices.Contains([]string{"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"}, rest[1].text):
		return rest[1:2]
	}
	return words
}

// takesNumbers are the programs that may be given a number that is not known.
var takesNumbers = []string{"echo", "printf", "exit", "return", "test", "["}

// readsPipes are the programs that may be given <(…) in the place of a file.
var readsPipes = []string{"diff", "comm", "cat", "wc", "sort", "paste", "join", "grep", "head", "tail", "cmp"}

// prints are the programs that may be given a text that is not known.
var prints = []string{"echo", "printf", "test", "["}
