package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// run reads a program and its arguments.
func (r *reader) program(words []word) {
	name := words[0]
	switch {
	case !name.known || name.pattern:
		r.hidden("the name of a program is not plain")
		r.operands(words[1:])
		return
	case !plainName(name.text):
		r.hidden("the name of a program is not plain")
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
	r.command.Programs = append(r.command.Programs, p)
	if program != name.text || !p.ReadOnly {
		r.operands(words[1:])
	}
	r.nested(func() { r.launched(program, p, words) })
}

// plainName reports whether everybody reads a program's name alike.
func plainName(name string) bool {
	return name != "" && name[0] != '-' && strings.IndexFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-+/[:", c))
	}) < 0
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

// named is what a program is called in rules, and whether it only reads.
func (r *reader) ruleName(program string, words []word) (name string, readOnly bool) {
	name = program
	rest := words[1:]
	if program == "git" {
		var plain bool
		if rest, plain = r.gitOptions(rest); !plain {
			return name, false
		}
	}
	for more := subcommands[program]; more && len(rest) > 0 && rest[0].known && plainName(rest[0].text); {
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

// cd follows where the shell goes.
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

// unwrap reads the command that a program such as timeout runs, in its place.
func (r *reader) unwrap(w wrapper, words []word) bool {
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
		switch option := rest[0].text; {
		case !rest[0].known:
			return false
		case option == "--":
			rest = rest[1:]
			return r.unwrapped(w, rest)
		case slices.Contains(w.flags, option):
			rest = rest[1:]
		case slices.Contains(w.values, option) && len(rest) > 1:
			rest = rest[2:]
		case slices.ContainsFunc(w.values, func(v string) bool {
			return strings.HasPrefix(v, "--") && strings.HasPrefix(option, v+"=")
		}):
			rest = rest[1:]
		default:
			return false
		}
	}
	return r.unwrapped(w, rest)
}

func (r *reader) unwrapped(w wrapper, rest []word) bool {
	if len(rest) <= w.operands {
		return false
	}
	for _, operand := range rest[:w.operands] {
		if !operand.known || operand.pattern {
			return false
		}
	}
	r.nested(func() { r.program(rest[w.operands:]) })
	return true
}

// options finds options that name a program to run, in whatever way they are
// shortened, and patterns that may turn into options.
func (r *reader) checkOptions(program string, args []word) {
	d, ok := launchOptions[program]
	harmless := readOnlyPrograms[program].harmless
	ended := false
	if program == "tar" && len(args) > 0 && strings.ContainsAny(args[0].text, "IF") {
		r.hidden("tar may run another program")
	}
	for _, a := range args {
		if a.leading && !ended && !harmless {
			r.unclear("a pattern may match a file whose name is an option")
		}
		if a.text == "--" {
			ended = true
		}
		if !ended && linkOptions[program].matches(a.text) {
			r.unclear("the option " + a.text + " of " + program + " follows links, wherever they lead")
		}
		if ok && !ended && d.matches(a.text) {
			r.hidden("the option " + a.text + " of " + program + " can run another program")
		}
	}
}

// danger is what options of a program run others.
type riskyOptions struct {
	long  []string // without dashes; one dash or two, and every beginning of them
	short string   // letters
	words []string // arguments that begin so
}

func (d riskyOptions) matches(arg string) bool {
	for _, w := range d.words {
		if strings.HasPrefix(arg, w) {
			return true
		}
	}
	if !strings.HasPrefix(arg, "-") || len(arg) < 2 {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, long := range d.long {
		if name != "" && (name == long || strings.HasPrefix(arg, "--") && strings.HasPrefix(long, name)) {
			return true
		}
	}
	return d.short != "" && arg[1] != '-' && strings.ContainsAny(name, d.short)
}
