package effects

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// runner reads the program that a runner such as npx or docker run is given, for deny rules.
// A rule that names the runner covers that program, because it comes from the project or
// from a package.
func (r *reader) runner(program string, args []word) {
	l, rest, ok := runnerOf(program, args)
	if !ok {
		return
	}
	before, besides := len(r.command.Programs), len(r.command.Besides)
	switch {
	case !r.behind(l, rest):
		r.hidden("it is not clear which program " + program + " runs")
		for i, w := range rest {
			if permit.IsProgramName(w.text) {
				r.besides(r.texts(rest[i:]))
			}
		}
	case l.shell && len(r.command.Programs) == before && len(r.command.Besides) == besides:
		r.hidden(program + " starts a shell, which reads commands")
	}
	for _, inner := range slices.Clone(r.command.Programs[before:]) {
		r.besides(inner.Words)
	}
	r.command.Programs = r.command.Programs[:before]
}

// runnerOf returns the entry in runners for a call, and the arguments after the words of that
// entry. Options and their values may come between these words.
func runnerOf(program string, args []word) (l launch, rest []word, ok bool) {
	if l, ok = runners.Get()[program]; ok {
		return l, args, true
	}
	name := program
	for i, w := range args {
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		for _, longer := range []string{name + " " + w.text, program + " " + w.text} {
			if l, ok = runners.Get()[longer]; ok {
				return l, args[i+1:], true
			}
		}
		if name += " " + w.text; i > 8 {
			break
		}
	}
	return launch{}, nil, false
}

// behind reads the program behind the arguments of the program that launches it, as far as
// it can be found. It reports whether it has understood everything before that program.
func (r *reader) behind(l launch, args []word) (understood bool) {
	understood = true
	for i := 0; i < len(args); i++ {
		w := args[i]
		name, value, joined := strings.Cut(w.text, "=")
		switch {
		case !w.known:
			return false
		case w.text == "--":
			understood = understood && (l.operands == 0 || l.operands >= many/2)
			l.operands = 0
		case strings.HasPrefix(w.text, "-") && w.text != "-":
			kind, attached := l.option(name)
			if attached != "" {
				value, joined = attached, true
			}
			if kind == '>' {
				l.operands = 0
				continue
			}
			if kind != 0 && kind != '?' && !joined && i+1 < len(args) {
				i++
				value = args[i].text
			}
			r.optionValue(kind, value)
			understood = understood && (kind != '?' || joined)
		case joined && !strings.ContainsAny(name, "/."): // a variable for the program
		case l.operands > 0:
			l.operands--
		default:
			r.start(args[i:])
			return understood
		}
	}
	return understood
}

// option returns the kind of an option: the character behind it in options, 0 for an option
// without a value, and '?' for one that is not listed. attached is a value in the same word.
func (l launch) option(name string) (kind byte, attached string) {
	for o := range strings.FieldsSeq(l.options) {
		plain, kind := strings.TrimRight(o, ":$!>"), o[len(o)-1]
		if strings.IndexByte(":$!>", kind) < 0 {
			kind = 0
		}
		switch {
		case plain == name:
			return kind, ""
		case kind != 0 && len(plain) == 2 && strings.HasPrefix(name, plain):
			return kind, name[2:]
		}
	}
	if len(name) > 2 && name[1] != '-' { // several short options in one word
		for i := 1; i < len(name); i++ {
			switch kind, _ := l.option("-" + name[i:i+1]); {
			case kind == '?':
				return '?', ""
			case kind != 0:
				return kind, name[i+1:]
			}
		}
		return 0, ""
	}
	return '?', ""
}

// optionValue reads the value of an option that holds a command for a shell, or a program.
func (r *reader) optionValue(kind byte, value string) {
	switch {
	case kind == '$':
		r.hidden("an option is a command for a shell")
		r.parse(value)
	case kind == '!' && permit.IsProgramName(value):
		r.nested(func() { r.program([]word{{text: value, known: true}}) })
	}
}

// start reads the words of a program that another one runs. A first word that cannot be the
// name of a program is a command for a shell, or the name of a package with its version.
func (r *reader) start(words []word) {
	if r.depth >= maxDepth-2 {
		return
	}
	name := words[0].text
	switch {
	case strings.HasPrefix(name, "."): // a file or folder of the project
		r.besides(r.texts(words))
	case permit.IsProgramName(name):
		r.nested(func() { r.program(words) })
		if _, script, ok := strings.Cut(name, ":"); ok {
			r.besides([]string{script}) // environment:program, as hatch has it
		}
	case strings.ContainsAny(name, " \t\n;|&"):
		r.hidden("an argument is a command for a shell")
		r.parse(strings.Join(r.texts(words), " "))
	default:
		r.besides(append([]string{packageName(name)}, r.texts(words[1:])...))
	}
}

// packageName returns the program in the name of a package: @scope/tool@1.2 and
// nixpkgs#tool are tool.
func packageName(name string) string {
	if i := strings.LastIndexAny(name, "#"); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "@"), "@")
	if name == "" {
		return "@"
	}
	return name
}
