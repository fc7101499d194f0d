package effects

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// program reads a program and its arguments.
func (r *reader) program(words []word) {
	name := words[0]
	r.spend(programCost(words))
	switch {
	case !name.known || name.pattern || name.variable:
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
	if w, ok := wrappers.Get()[program]; ok && program == name.text && r.unwrap(w, words) {
		return
	}
	p := permit.Program{Name: name.text, Words: r.texts(words)}
	if program == name.text {
		p.Name, p.ReadOnly = r.ruleName(program, words)
	}
	r.reach(&p, program, words[1:])
	r.keep(p.Words...)
	r.command.Programs = append(r.command.Programs, p)
	if program != name.text || !p.ReadOnly {
		r.operands(words[1:])
	}
	r.nested(func() { r.launched(program, p, words) })
}

// programCost is what looking at a program and its arguments costs: each word is compared with
// the tables several times, and each letter of short options with all options of the program.
func programCost(words []word) (bytes, steps int) {
	for _, w := range words {
		bytes += 8*perItem + 8*len(w.text)
		steps += 10 + len(w.text)/8
		if letters := w.text; len(letters) > 1 && letters[0] == '-' && letters[1] != '-' {
			letters = letters[1:]
			steps += 8 * (len(letters) - len(strings.TrimLeft(letters, nameBytes+"#")))
		}
	}
	return bytes, steps
}

// texts returns the texts of words that stay in the result.
func (r *reader) texts(words []word) []string {
	for _, w := range words {
		r.spend(perItem+len(w.text), 1)
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.text
	}
	return all
}

// ruleName returns the name by which rules call the program, which includes its
// subcommand, and whether the program only reads.
func (r *reader) ruleName(program string, words []word) (name string, readOnly bool) {
	name = program
	rest := words[1:]
	if program == "git" {
		var plain bool
		if rest, plain = r.gitOptions(rest); !plain {
			return name, len(rest) == 1 && (rest[0].text == "--version" || rest[0].text == "-v")
		}
	}
	for more := subcommands.Get()[program]; more && len(rest) > 0 && rest[0].known && !rest[0].variable && permit.IsProgramName(rest[0].text); {
		name += " " + rest[0].text
		rest = rest[1:]
		more = nestedSubcommands.Get()[name]
	}
	if subcommands.Get()[program] && name == program && len(rest) > 0 && (!rest[0].known || rest[0].variable) {
		r.hidden("the subcommand of " + program + " is not known")
	}
	if program == "find" || program == "xargs" {
		rest = r.ownArguments(program, rest)
	}
	spec, listed := readOnlyPrograms.Get()[name]
	if !listed || program == "git" && (r.moved || gitChecksSignatures(name, rest)) || program == "find" && slices.ContainsFunc(rest, func(w word) bool { return w.text == "--" }) {
		return name, false
	}
	if len(rest) == 1 && rest[0].known && (rest[0].text == "--version" || rest[0].text == "--help") && name == program && program != "git" && !spec.literal {
		return name, true // these programs print it and end
	}
	if program == "tar" {
		rest = withDash(rest)
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
		if spec.readsFolders {
			r.file(p+"/*", false)
		}
	}
	switch program {
	case "cd":
		r.cd(rest)
	case "read":
		for _, w := range rest {
			r.set(w.text, value{data: true})
		}
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
	r.besides(r.texts(words))
	r.nested(func() { r.program(rest[w.operands:]) })
	return true
}

// checkOptions finds options that name a program to run or that follow links, however
// they are abbreviated, and patterns whose matches may look like options.
func (r *reader) checkOptions(program string, args []word) {
	risky, ok := launchOptions.Get()[program]
	if program == "go" {
		r.checkGo(args)
	}
	spec := readOnlyPrograms.Get()[program]
	ended := false
	r.checkPatterns(program, args)
	r.checkHosts(program, args)
	if program == "tar" && len(args) > 0 && strings.ContainsAny(args[0].text, "IF") {
		r.hidden("tar may run another program")
	}
	if program == "tar" && len(args) > 0 && !strings.HasPrefix(args[0].text, "-") && strings.Contains(args[0].text, "P") {
		r.unclear("tar unpacks absolute names, which may be outside its folder")
	}
	for i, a := range args {
		if a.leading && !ended && !spec.harmless && !(spec.harmlessNamed && endsInExtension(a.text)) {
			r.unclear("a pattern may match a file whose name is an option")
		}
		if a.text == "--" && (i == 0 || !ok && program != "git" || endsOptions(program, args, args[i-1].text)) {
			ended = true
		}
		if listOptions.Get()[program].matches(a.text) {
			r.unclear("the option " + a.text + " of " + program + " reads the names of files from a file")
		}
		if linkOptions.Get()[program].matches(a.text) {
			r.unclear("the option " + a.text + " of " + program + " leads out of its folder")
		}
		if program == "make" && (strings.Contains(a.text, "$") || a.text == "-" || strings.Contains(a.text, "!=")) {
			r.hidden("make may run a program that an argument names")
		}
		if ok && risky.matches(a.text) { // also behind --, which may be the value of an option
			r.hidden("the option " + a.text + " of " + program + " can run another program")
		}
	}
}

// endsInExtension reports whether all that matches a pattern has the same extension.
func endsInExtension(pattern string) bool {
	ext := path.Ext(pattern)
	return len(ext) > 1 && !strings.ContainsAny(ext, "*?[]")
}

// withDash returns the arguments of tar with a dash before the letters that may come first
// without one. Letters after an f are left alone, because they are no value then.
func withDash(args []word) []word {
	if len(args) == 0 || args[0].text == "" || strings.Trim(args[0].text, "tvzjJf") != "" || strings.ContainsRune(strings.TrimSuffix(args[0].text, "f"), 'f') {
		return args
	}
	args = slices.Clone(args)
	args[0].text = "-" + args[0].text
	return args
}

// checkGo checks the flags that go hands on to a compiler or linker, which can name a program
// there, and settings for later commands. Source: go help build; go tool link; go help env.
func (r *reader) checkGo(args []word) {
	for i, a := range args {
		name, value, joined := strings.Cut(strings.TrimLeft(a.text, "-"), "=")
		if !joined && i+1 < len(args) {
			value = args[i+1].text
		}
		switch {
		case !strings.HasPrefix(a.text, "-"):
		case (name == "w" || name == "u") && args[0].text == "env":
			r.hidden("go env changes what later commands of go run")
		case slices.Contains([]string{"ldflags", "gcflags", "asmflags", "gccgoflags"}, name) && !plainGoFlags.Get().MatchString(value):
			r.hidden("the option " + a.text + " of go can run another program")
		}
	}
}

// plainGoFlags matches flags for the linker and compiler that only change the result.
var plainGoFlags = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^(all=|\./\.\.\.=)?( *(-s|-w|-N|-l|-m|-B=[a-z0-9]*|-buildid=|-X[ =]?'?[\w./-]+=[\w./+:@ -]*'?))* *$`)
}}

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
