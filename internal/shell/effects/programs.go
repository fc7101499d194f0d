package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// program reads a program and its arguments.
func (r *reader) program(words []word) {
	name := words[0]
	switch {
	case !name.known || name.pattern:
		r.hidden("the name of a program cannot be read")
		r.operands(words[1:])
		return
	case !permit.IsProgramName(name.text):
		r.hidden("the name of a program cannot be read")
		return
	case len(r.command.Programs) >= maxPrograms:
		r.hidden("it runs too many programs")
		return
	}
	program := path.Base(name.text)
	if strings.ContainsRune(name.text, '/') {
		r.path(name.text)
	}
	if w, ok := wrappers[program]; ok && program == name.text && r.unwrap(w, words) {
		return
	}
	p := permit.Program{Name: name.text, Words: texts(words)}
	if program == name.text {
		p.Name, p.ReadOnly = r.ruleName(program, words)
	}
	r.reach(&p, program, words[1:])
	r.command.Programs = append(r.command.Programs, p)
	if program != name.text || !p.ReadOnly {
		r.operands(words[1:])
	}
	r.nested(func() { r.launched(program, p, words) })
}

// besides notes a program or builtin that only deny rules judge.
func (r *reader) besides(words []string) {
	if len(r.command.Besides) >= maxPrograms {
		r.hidden("it runs too many programs")
		return
	}
	r.command.Besides = append(r.command.Besides, permit.Program{Name: words[0], Words: words})
}

func texts(words []word) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.text
	}
	return all
}

func (r *reader) operands(words []word) {
	for _, w := range words {
		r.operand(w.text)
	}
}

// ruleName returns the name by which rules call the program, which includes its
// subcommand, and whether the program only reads.
func (r *reader) ruleName(program string, words []word) (name string, readOnly bool) {
	name = program
	rest := words[1:]
	if program == "git" {
		var plain bool
		if rest, plain = r.gitOptions(rest); !plain {
			return name, false
		}
	}
	for more := subcommands[program]; more && len(rest) > 0 && rest[0].known && permit.IsProgramName(rest[0].text); {
		name += " " + rest[0].text
		rest = rest[1:]
		more = nestedSubcommands[name]
	}
	if subcommands[program] && name == program && len(rest) > 0 && !rest[0].known {
		r.hidden("the subcommand of " + program + " is not known")
	}
	spec, listed := readOnlyPrograms[name]
	if !listed || program == "git" && r.moved {
		return name, false
	}
	paths, ok := spec.check(rest)
	if !ok {
		if program == "cd" {
			r.unclear("it cannot be known where cd leads")
		}
		return name, false
	}
	for _, p := range paths {
		r.operand(p)
	}
	if program == "cd" {
		r.cd(rest)
	}
	return name, true
}

// cd follows a cd to where it leads.
func (r *reader) cd(rest []word) {
	to := r.home
	if len(rest) > 0 {
		to = rest[0].text
	}
	if len(rest) > 1 || strings.HasPrefix(to, "-") {
		r.unclear("it cannot be known where cd leads")
		return
	}
	r.chdir(to)
}

// unwrap reads a program such as timeout as the command that it runs. It returns false if
// the arguments of the wrapper are not understood.
func (r *reader) unwrap(w wrapper, words []word) bool {
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && rest[0].text != "-" {
		switch option := rest[0].text; {
		case !rest[0].known:
			return false
		case option == "--":
			rest = rest[1:]
			return r.unwrapped(w, rest, words)
		case slices.Contains(w.flags, option):
			rest = rest[1:]
		case slices.Contains(w.values, option) && len(rest) > 1 && !rest[1].pattern:
			rest = rest[2:]
		case slices.ContainsFunc(w.values, func(v string) bool {
			return strings.HasPrefix(v, "--") && strings.HasPrefix(option, v+"=")
		}):
			rest = rest[1:]
		default:
			return false
		}
	}
	return r.unwrapped(w, rest, words)
}

// unwrapped reads rest, which comes after the options of a wrapper. words are the wrapper and
// all its arguments.
func (r *reader) unwrapped(w wrapper, rest, words []word) bool {
	if len(rest) <= w.operands {
		return false
	}
	for _, operand := range rest[:w.operands] {
		if !operand.known || operand.pattern {
			return false
		}
	}
	r.besides(texts(words))
	r.nested(func() { r.program(rest[w.operands:]) })
	return true
}

// checkOptions finds options that name a program to run or that follow links, however
// they are abbreviated, and patterns whose matches may look like options.
func (r *reader) checkOptions(program string, args []word) {
	risky, ok := launchOptions[program]
	harmless := readOnlyPrograms[program].harmless
	ended := false
	r.checkPatterns(program, args)
	if program == "tar" && len(args) > 0 && strings.ContainsAny(args[0].text, "IF") {
		r.hidden("tar may run another program")
	}
	for i, a := range args {
		if a.leading && !ended && !harmless {
			r.unclear("a pattern may match a file whose name is an option")
		}
		if a.text == "--" && (i == 0 || !ok && program != "git" || endsOptions(program, args, args[i-1].text)) {
			ended = true
		}
		if linkOptions[program].matches(a.text) {
			r.unclear("the option " + a.text + " of " + program + " follows symbolic links out of its folder")
		}
		if ok && risky.matches(a.text) { // also behind --, which may be the value of an option
			r.hidden("the option " + a.text + " of " + program + " can run another program")
		}
	}
}

// riskyOptions are the arguments that make a program do more than usual: run another
// program, or follow links.
type riskyOptions struct {
	long  []string // names without dashes; matched with one dash or two, and abbreviated
	short string   // letters of short options
	words []string // beginnings of arguments
}

func (o riskyOptions) matches(arg string) bool {
	for _, w := range o.words {
		if strings.HasPrefix(arg, w) {
			return true
		}
	}
	if !strings.HasPrefix(arg, "-") || len(arg) < 2 {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, long := range o.long {
		if name != "" && (name == long || strings.HasPrefix(arg, "--") && strings.HasPrefix(long, name)) {
			return true
		}
	}
	return o.short != "" && arg[1] != '-' && strings.ContainsAny(name, o.short)
}
