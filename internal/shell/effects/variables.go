package effects

import (
	"maps"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// value is what is known about a variable that the command itself has set.
type value struct {
	text    string // the exact value, unless one of the others is set
	pattern bool   // the value is the name of a file that matches text
	data    bool   // the value is not known before the command runs
}

// Bounds of loops whose body is read once for each value.
const (
	maxValues = 16  // values of one loop; for more, none of them counts as known
	maxRounds = 256 // bodies read for all loops of a command
)

// isOwnVariable reports whether a command may set the variable and stay clear: nothing but
// the command itself uses it.
func isOwnVariable(name string) bool {
	return !harmlessVariables.Get()[name] && variableChange(name) == ""
}

// scoped calls f for a part of the command that may not run, or runs in another process.
// Variables that f has changed are not known after it.
func (r *reader) scoped(f func()) {
	before := r.copied(r.vars)
	f()
	for name, v := range before {
		if after, ok := r.vars[name]; !ok || after != v {
			delete(before, name)
		}
	}
	r.vars = before
}

// copied returns a copy of variables and their values.
func (r *reader) copied(vars map[string]value) map[string]value {
	r.spend(perVar*len(vars), 1+len(vars)/4)
	return maps.Clone(vars)
}

// branching calls f for a compound command. The variables that are set anywhere in it are not
// known at its beginning, because it may be a later round of a loop, nor after it.
func (r *reader) branching(n syntax.Node, f func()) {
	forget := func() {
		whole := r.walk(n, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil {
					delete(r.vars, n.Name.Value)
				}
			case *syntax.WordIter:
				delete(r.vars, n.Name.Value)
			case *syntax.CallExpr: // read, and everything else that takes names
				for _, a := range n.Args {
					delete(r.vars, a.Lit())
				}
			}
			return true
		})
		if !whole {
			clear(r.vars)
		}
	}
	forget()
	r.scoped(f)
	forget()
}

// set notes the value of a variable.
func (r *reader) set(name string, v value) {
	if r.vars == nil {
		r.vars = map[string]value{}
	}
	r.vars[name] = v
}

// assign reads assignments that no program follows.
func (r *reader) assign(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Append || a.Naked || a.Index != nil || a.Array != nil || !isOwnVariable(a.Name.Value) {
			r.unclear("it sets variables, which may change what programs do")
			if startsProgram(a) {
				r.hidden("it sets a variable that may name a program")
			}
			r.substitutions(a)
			continue
		}
		v := value{}
		if a.Value != nil {
			v = r.valueOf(r.printed(a.Value))
			v.pattern = false // no names of files are inserted here
		}
		r.set(a.Name.Value, v)
	}
}

// valueOf returns the value of a variable that is set to a word.
func (r *reader) valueOf(w word) value {
	if !w.known || w.number || !w.pattern && strings.ContainsAny(w.text, wildcards) {
		return value{data: true}
	}
	return value{text: w.text, pattern: w.pattern}
}

// printed reads a word that the shell or a program only prints or compares: a text in it that is
// not known before the command runs does no harm.
func (r *reader) printed(w *syntax.Word) word {
	defer func(before bool) { r.printing = before }(r.printing)
	r.printing = true
	return r.word(w)
}

// loop reads the body of a for loop once for each value of its variable.
func (r *reader) loop(name string, items []word, body []*syntax.Stmt) {
	if len(items) > maxValues {
		items = []word{{data: true}}
	}
	before := r.copied(r.vars)
	for _, item := range items {
		if r.rounds++; r.rounds > maxRounds {
			r.hidden("it holds too many loops to be read")
			return
		}
		r.vars = r.copied(before) // a round may have ended early
		r.set(name, r.valueOf(item))
		r.stmts(body)
	}
}

// variable reads a variable that the command has set, or one whose value may be printed. It
// returns false if the value is not known.
func (b *builder) variable(p *syntax.ParamExp, quoted bool) bool {
	if p.Param == nil || p.Index != nil || p.Excl || p.Names != 0 || p.Width || p.Slice != nil || p.Repl != nil {
		return false
	}
	name := p.Param.Value
	v, set := b.r.vars[name]
	switch {
	case p.Exp != nil || p.Length:
		return (set || printable.Get()[name]) && quoted && isTrimming(p.Exp) && b.print()
	case name == "PWD" && !set && !b.r.moved && len(b.r.dirs) > 0:
		v = value{text: b.r.dirs[0]}
	case printable.Get()[name] && !set:
		return b.print()
	case !set:
		return false
	}
	switch {
	case v.data:
		return quoted && b.print()
	case !quoted && (v.pattern || !isPlainText(v.text)):
		return false
	}
	b.variables = append(b.variables, v)
	b.write(v.text)
	b.pattern = b.pattern || v.pattern
	return true
}

// print notes a text that is not known, if it is only printed.
func (b *builder) print() bool {
	b.data = b.data || b.r.printing
	b.known = b.known && !b.r.printing
	return b.r.printing
}

// checkVariables checks a word that holds the values of variables. A wildcard beside the name
// of a file would change what the name matches.
func (b *builder) checkVariables(w *word) {
	if len(b.variables) == 0 {
		return
	}
	w.variable = true
	rest := w.text
	for _, v := range b.variables {
		b.r.spend(len(rest), 1+len(rest)/256)
		rest = strings.Replace(rest, v.text, "", 1)
	}
	if w.pattern && strings.ContainsAny(rest, wildcards) {
		b.unknown("it uses a variable beside a pattern")
		w.known = false
	}
	if strings.HasPrefix(w.text, "-") {
		b.unknown("an option comes from a variable")
		w.known = false
	}
}

// isTrimming reports whether ${name…} only shortens the value.
func isTrimming(e *syntax.Expansion) bool {
	if e == nil {
		return true
	}
	switch e.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return e.Word == nil || e.Word.Lit() != ""
	}
	return false
}

// printable are the variables of the environment that hold no secret.
var printable = set{names: `USER LOGNAME SHELL LANG LC_ALL PATH TERM HOSTNAME EDITOR UID EUID BASH_VERSION OSTYPE HOSTTYPE
	GOPATH GOROOT GOBIN JAVA_HOME VIRTUAL_ENV NVM_DIR NODE_ENV CI TZ TMPDIR`}

// isPlainText reports whether a value stays one word without quotes.
func isPlainText(text string) bool {
	return text != "" && strings.Trim(text, nameBytes+"./,:@%+-") == ""
}

// isHarmlessSetting reports whether a variable that is set for one program cannot change what
// the program reads, writes or runs.
func isHarmlessSetting(a *syntax.Assign) bool {
	if a.Name == nil || a.Append || a.Naked || a.Index != nil || a.Array != nil {
		return false
	}
	text := ""
	if a.Value != nil && len(a.Value.Parts) > 0 {
		var ok bool
		if text, ok = literalText(a.Value.Parts); !ok {
			return false
		}
	}
	values, ok := harmlessValues.Get()[a.Name.Value]
	return ok && values.MatchString(text)
}

// harmlessValues are variables and the values for which they only change how a program
// prints, or how many questions it asks.
var harmlessValues = lazy.Value[map[string]*regexp.Regexp]{Make: func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, group := range []struct{ values, names string }{
		{`(|0|1|true|false|yes|no|always|never)`, `CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE
			GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS CGO_ENABLED CARGO_TERM_COLOR NPM_CONFIG_COLOR NPM_CONFIG_FUND NPM_CONFIG_AUDIT PY_COLORS DO_NOT_TRACK
			NEXT_TELEMETRY_DISABLED DEBUG VERBOSE PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK HOMEBREW_NO_AUTO_UPDATE`},
		{`(|C|POSIX|[a-z][a-z]_[A-Z][A-Z]|C\.UTF-8|C\.utf8|[a-z][a-z]_[A-Z][A-Z]\.(UTF-8|utf8))`, `LC_ALL LANG LC_COLLATE LC_CTYPE LC_NUMERIC LC_TIME LC_MESSAGES`},
		{`[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*`, `TZ`},
		{`(|cat)`, `PAGER GIT_PAGER GH_PAGER MANPAGER SYSTEMD_PAGER`},
		{`[0-9]{1,5}`, `COLUMNS LINES PORT GOMAXPROCS`},
		{`[a-z]+`, `NODE_ENV RAILS_ENV RACK_ENV FLASK_ENV APP_ENV MIX_ENV DEBIAN_FRONTEND GOOS RUST_LOG LOG_LEVEL`},
		{`[a-z0-9]+`, `GOARCH TERM`},
		{`(auto|off|on)`, `GO111MODULE`},
	} {
		for name := range strings.FieldsSeq(group.names) {
			all[name] = regexp.MustCompile(`^` + group.values + `$`)
		}
	}
	return all
}}

// substituted reads a command whose output is inserted.
func (r *reader) substituted(list []*syntax.Stmt) {
	defer func(printing, piped, fed bool) { r.printing, r.piped, r.fed = printing, piped, fed }(r.printing, r.piped, r.fed)
	r.printing, r.piped, r.fed = false, false, false
	r.nested(func() { r.scoped(func() { r.stmts(list) }) })
}
