package effects

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// stateChange returns how the command may change what later commands of the same shell
// mean: by a function, an alias, PATH or another variable. It is empty if the command
// changes nothing of that kind, as every clear command does. Changes in a child of
// the shell (a program, a subshell, a pipeline) do not count.
//
// Values of variables are not examined. That is why arithmetic counts as a change: it
// evaluates variables and may assign to them.
func (r *reader) stateChange() string {
	if r.whole == nil {
		return notRead
	}
	why := ""
	for _, s := range r.whole.Stmts {
		whole := r.walk(s, func(n syntax.Node) bool {
			if why != "" || runsInChild(n) {
				return false
			}
			why = nodeChange(n)
			return why == ""
		})
		if !whole && why == "" {
			return notRead
		}
	}
	return why
}

// notRead is what an unclear command may have changed of which the shell's state is not known.
const notRead = "it could not be read"

// IndependentOfShell reports whether a command does the same in a fresh shell as in one
// that an earlier command has changed: it only reads, and nothing that it prints depends
// on how the shell was set up.
func IndependentOfShell(c permit.Command) bool {
	return c.Unclear == "" && !c.Redirects && len(c.Programs) > 0 && !usesVariable.Get().MatchString(c.Text) && !slices.ContainsFunc(c.Programs, func(p permit.Program) bool {
		spec := readOnlyPrograms.Get()[p.Name]
		return !p.ReadOnly || spec.needsOption || strings.HasPrefix(p.Name, "go ") || strings.HasPrefix(p.Name, "pip") ||
			slices.Contains(p.Words, "--version") || slices.Contains([]string{"command", "which", "type", "read"}, p.Name)
	})
}

// usesVariable matches commands that may print a variable of the shell.
var usesVariable = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`\$\{?#?[A-Za-z_]`) }}

// runsInChild reports whether a node runs in a child of the shell.
func runsInChild(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
		return true
	case *syntax.BinaryCmd:
		return n.Op == syntax.Pipe || n.Op == syntax.PipeAll
	case *syntax.Stmt:
		return n.Background
	}
	return false
}

// nodeChange returns how one node of the syntax tree changes the shell, "" if it does not.
func nodeChange(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		return "it defined a function"
	case *syntax.CallExpr:
		if len(n.Args) > 0 { // assignments before a program are for that program
			return callChange(n.Args)
		}
		return assignmentChange(n.Assigns)
	case *syntax.DeclClause:
		if n.Variant.Value != "export" {
			return "it declared variables"
		}
		return assignmentChange(n.Args)
	case *syntax.WordIter:
		return variableChange(n.Name.Value)
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			return variableChange(n.Param.Value)
		}
		if n.Index != nil || n.Slice != nil || n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
			return "it used an expansion that can assign"
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return "it used arithmetic"
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			return "it used arithmetic"
		}
	case *syntax.Redirect:
		if n.N != nil && strings.Trim(n.N.Value, "0123456789") != "" {
			return "a redirection set a variable"
		}
		if n.Op == syntax.DplOut && !plainName(n.Word.Lit()) {
			return "a redirection could run code" // see [reader.duplicate]
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
		return "it used arithmetic"
	case *syntax.CoprocClause:
		return "it started a coprocess"
	}
	return ""
}

// assignmentChange returns how assignments change the shell, "" if they do not.
func assignmentChange(list []*syntax.Assign) string {
	for _, a := range list {
		switch {
		case a.Name == nil || a.Index != nil || a.Array != nil:
			return "it set a variable"
		case variableChange(a.Name.Value) != "":
			return variableChange(a.Name.Value)
		}
	}
	return ""
}

// variableChange returns how setting a variable changes the shell. It is empty for
// variables that are known not to change which program a name stands for: those in small
// letters, and [harmlessVariables].
func variableChange(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" && name != "histchars" || harmlessVariables.Get()[name] {
		return ""
	}
	return "it set the variable " + name
}

// harmlessVariables change how programs run, but not which programs run.
var harmlessVariables = set{names: `CI NODE_ENV DEBUG RUST_BACKTRACE RUST_LOG NO_COLOR FORCE_COLOR CLICOLOR TZ PORT HOST COLUMNS LINES PYTHONUNBUFFERED
	PYTHONDONTWRITEBYTECODE GOOS GOARCH CGO_ENABLED DEBIAN_FRONTEND LOG_LEVEL`}

// callChange returns how calling a program or builtin changes the shell, "" if it does
// not.
func callChange(args []*syntax.Word) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i], _ = literalText(a.Parts)
	}
	for len(words) > 1 && (words[0] == "command" || words[0] == "builtin") && !strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	name, rest := words[0], words[1:]
	switch {
	case !permit.IsProgramName(name):
		return "it ran a program whose name could not be read"
	case name == "printf" && slices.ContainsFunc(rest[:min(1, len(rest))], func(w string) bool { return w == "" || w[0] == '-' || !printfIsSafe(w) }),
		(name == "test" || name == "[") && (slices.Contains(rest, "-v") || slices.Contains(rest, "-R")):
		return name + " could set a variable"
	case name == "set" && !slices.ContainsFunc(rest, func(w string) bool {
		return w == "" || strings.Trim(w, "+-euxvCo") != "" && w != "pipefail"
	}):
	case name == "unset" || name == "read":
		for _, w := range rest {
			if w != "-r" && (w == "" || variableChange(w) != "") {
				return name + " changed a variable"
			}
		}
	case slices.Contains([]string{"disown", "caller", "suspend", "logout", "umask", "ulimit", "pushd", "popd"}, name), name == "wait" && !slices.Contains(rest, "-p"):
	case stateful.Get()[name], slices.Contains([]string{"source", ".", "eval", "trap", "alias", "unalias", "exec", "command", "builtin"}, name):
		return name + " could change anything in the shell"
	}
	return ""
}

// literalText returns the text of a word in which nothing is expanded; ok is false for
// any other word.
func literalText(parts []syntax.WordPart) (text string, ok bool) {
	var all strings.Builder
	for _, p := range parts {
		part := ""
		switch p := p.(type) {
		case *syntax.Lit:
			part, ok = p.Value, !strings.Contains(p.Value, `\`)
		case *syntax.SglQuoted:
			part, ok = p.Value, !p.Dollar
		case *syntax.DblQuoted:
			part, ok = literalText(p.Parts)
			ok = ok && !p.Dollar || len(p.Parts) == 0
		default:
			ok = false
		}
		if !ok {
			return "", false
		}
		all.WriteString(part)
	}
	return all.String(), true
}
