package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// run reads a program and its arguments.
func (r *reader) run(words []word) {
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
		p.Name, p.ReadOnly = r.named(program, words)
	}
	r.command.Programs = append(r.command.Programs, p)
	if program != name.text || !p.ReadOnly {
		r.operands(words[1:])
	}
	r.within(func() { r.inner(program, p, words) })
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
func (r *reader) named(program string, words []word) (name string, readOnly bool) {
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
		more = deeper[name]
	}
	if subcommands[program] && name == program && len(rest) > 0 && !rest[0].known {
		r.hidden("the subcommand of " + program + " is not known")
	}
	spec, listed := readers[name]
	if !listed || program == "git" && r.moved {
		return name, false
	}
	paths, ok := spec.read(rest)
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
	r.within(func() { r.run(rest[w.operands:]) })
	return true
}

// inner says what of a program runs others, and reads those that can be found.
func (r *reader) inner(program string, p permit.Program, words []word) {
	args := words[1:]
	_, wraps := wrappers[program]
	switch {
	case wraps && !p.ReadOnly: // written in a way that was not understood
		r.hidden(program + " runs another program")
		r.found(nil, args)
	case stateful[program]:
		r.hidden(program + " changes what later commands mean")
	case unreadable[program]:
		r.hidden(program + " can run other programs")
	case interactive[program]:
		r.hidden(program + " takes commands of its own")
	case runners[program] != nil:
		r.hidden(program + " runs another program")
		r.found(runners[program], args)
	case interpreters[program] != nil:
		r.interpreter(program, args)
	case program == "find":
		r.find(args)
	case program == "git":
		r.git(p.Name, args)
	case fetchers[program] != nil:
		r.fetches(program, args)
	case program == "sed" || program == "gsed":
		r.script(program, args, sedScripts, sedPlain)
	case awks[program]:
		r.script(program, args, awkScripts, awkPlain)
	}
	r.options(program, args)
}

// found reads the command behind a program that runs it, as well as it can be told.
func (r *reader) found(values []string, args []word) {
	if r.depth >= maxDepth-2 {
		return
	}
	for i := 0; i < len(args); i++ {
		switch w := args[i].text; {
		case slices.Contains(values, w):
			i++
		case strings.HasPrefix(w, "-") || strings.Contains(w, "="):
		default:
			if args[i].known && plainName(w) {
				r.within(func() { r.run(args[i:]) })
			}
			return
		}
	}
}

// interpreter reads sh, python and their like: a file to run is an argument as any
// other, code on the command line or on stdin is not.
func (r *reader) interpreter(program string, args []word) {
	for i, a := range args {
		switch {
		case !a.known || a.pattern:
			r.hidden("it cannot be told what " + program + " runs")
			return
		case a.text == "-m" && strings.HasPrefix(program, "py") && i+1 < len(args):
			return // a module is a file, too
		case slices.Contains(interpreters[program], a.text):
			continue
		case strings.HasPrefix(a.text, "-") && shells[program] && strings.HasSuffix(a.text, "c") && i+1 < len(args):
			r.hidden(program + " runs the text of an argument")
			if args[i+1].known {
				r.text(args[i+1].text)
			}
			return
		case strings.HasPrefix(a.text, "-"):
			r.hidden(program + " runs code that is no file")
			return
		}
		return // a file
	}
	if len(args) == 0 || !slices.Contains(versions, args[len(args)-1].text) {
		r.hidden(program + " runs what it reads")
	}
}

// find reads the commands that find runs.
func (r *reader) find(args []word) {
	for i, a := range args {
		switch a.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			r.hidden("find runs a program for what it finds")
			if i+1 < len(args) && args[i+1].known && plainName(args[i+1].text) {
				r.within(func() { r.run(args[i+1:]) })
			}
			return
		case "-delete":
			r.unclear("find deletes what it finds")
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			r.unclear("find writes a file")
		}
	}
}

// fetches notes the addresses that a program such as curl is given without a scheme.
func (r *reader) fetches(program string, args []word) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i].text, "=")
		switch {
		case joined && strings.HasPrefix(name, "--") && (strings.HasPrefix("--url", name) || strings.HasPrefix("--proxy", name)):
			r.fetched(value)
		case slices.Contains(fetchers[program], args[i].text):
			i++
		case !strings.HasPrefix(args[i].text, "-"):
			r.fetched(args[i].text)
		}
	}
}

func (r *reader) fetched(address string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
		r.url(address, strings.Index(address, "://"))
	}
}

// script reads programs whose first operand is a script.
func (r *reader) script(program string, args []word, spec reads, plain func(string) bool) {
	_, _, ok := spec.split(args)
	scripts := spec.scripts(args)
	for _, s := range scripts {
		ok = ok && plain(s)
	}
	if !ok || len(scripts) == 0 {
		r.hidden("the script of " + program + " may run programs or write files")
	}
}

// options finds options that name a program to run, in whatever way they are
// shortened, and patterns that may turn into options.
func (r *reader) options(program string, args []word) {
	d, ok := runsWith[program]
	harmless := readers[program].harmless
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
		if !ended && follows[program].matches(a.text) {
			r.unclear("the option " + a.text + " of " + program + " follows links, wherever they lead")
		}
		if ok && !ended && d.matches(a.text) {
			r.hidden("the option " + a.text + " of " + program + " can run another program")
		}
	}
}

// danger is what options of a program run others.
type danger struct {
	long  []string // without dashes; one dash or two, and every beginning of them
	short string   // letters
	words []string // arguments that begin so
}

func (d danger) matches(arg string) bool {
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
