package effects

import (
	"slices"
	"strings"
)

// readOnlyUse describes the arguments with which a program changes nothing and runs
// nothing. Arguments that are not listed are not known to be harmless.
type readOnlyUse struct {
	// options are the ones that may be given, separated by spaces; the first word "single"
	// means that long options have one dash. The end of each says which value it takes:
	//
	//	-n --name    none
	//	-A: --name:  a value that is not a file: the rest of the argument, or the next one
	//	-f/ --name/  a value that is a file, likewise
	//	-w? --name?  a value only in the same argument, or none
	//	--name=      a value only in the same argument
	//	--name::     two values in the next two arguments
	//	-#           a number
	options string
	// required are options of which one must be given, because without it the program does
	// something else, such as unpacking an archive.
	required []string
	// textOperands is how many operands, from the first on, are text and not files: a
	// pattern, a script. A negative number means all. If one of the options in
	// textOptions is given, there are none.
	textOperands int
	textOptions  []string
	// maxOperands is how many operands are allowed, 0 for any number. The program would
	// write to the operand after them. Where it is not 0, no pattern is allowed, because a
	// pattern becomes as many operands as it has matches.
	maxOperands int
	// limited are options that are allowed only together with one of limitedWith, because they
	// undo the other options in required.
	limited, limitedWith []string
	// optionsFirst means that -- does not end the options, and that options may follow
	// operands and undo others, so neither is allowed.
	optionsFirst bool
	// noOperands means that no operand is allowed, unless one of the options in operandsWith
	// is given.
	noOperands   bool
	operandsWith []string
	// noOperandsWith are options with which no operand is allowed. needsOperand means that one
	// must be given.
	noOperandsWith []string
	needsOperand   bool
	// needsOption means that one of the options must be given. Without one, the program
	// does something else than print: make runs the Makefile.
	needsOption bool
	// harmless programs have no option at all that writes or runs something or that names a
	// file, so a pattern may match a name that looks like an option. In harmlessNamed
	// programs an option may only lead to other files; the pattern must end in an extension
	// then, as in *.go.
	harmless, harmlessNamed bool
	// literal programs have no options: they take every argument as it is, also one that
	// begins with a dash.
	literal bool
	// readsFolders means that the program reads the files in an operand that is a folder,
	// through links, too.
	readsFolders bool
	// isSafe judges the script or, where all operands are text, each operand. nil accepts
	// all.
	isSafe func(string) bool
	// fileIsSafe judges the name of each file. nil accepts all.
	fileIsSafe func(string) bool
}

// option is one option of a call with its value.
type option struct {
	name, value string
	file        bool // the value is a file
}

// check goes through the arguments of a call. It returns those that may be files, and
// whether the program changes nothing.
func (s readOnlyUse) check(args []word) (paths []string, ok bool) {
	options, operands, ok := s.split(args)
	if !ok || s.needsOption && len(options) == 0 || !s.hasRequired(options) || s.conflict(options) || s.optionsFirst && lateOption(args) {
		return nil, false
	}
	text := s.textOperands
	for _, o := range options {
		if o.file {
			paths = append(paths, o.value)
		}
		if slices.Contains(s.textOptions, o.name) {
			text = 0
		}
	}
	if text < 0 || text > len(operands) {
		text = len(operands)
	}
	noOperands := s.takesNone(options)
	if s.needsOperand && len(operands) == 0 || noOperands && len(operands) > 0 || s.maxOperands > 0 && len(operands) > s.maxOperands {
		return nil, false
	}
	if (noOperands || s.maxOperands > 0) && len(patterns(args)) > 0 {
		return nil, false
	}
	if s.isSafe != nil && !s.safeScripts(args, operands) {
		return nil, false
	}
	paths = append(paths, operands[text:]...)
	if s.textOperands >= 0 {
		paths = append(paths, patterns(args)...) // the shell may have put files in the place of a text
	}
	if s.fileIsSafe != nil && slices.ContainsFunc(paths, func(p string) bool { return !s.fileIsSafe(p) }) {
		return nil, false
	}
	return append(paths, s.lateValues(args)...), true
}

// safeScripts reports whether isSafe accepts the scripts of a call. A script that the shell
// may replace by the name of a file is not safe. A pattern may be the value of an option and
// become operands as well, but a harmless program has no such option.
func (s readOnlyUse) safeScripts(args []word, operands []string) bool {
	judged, fixed := s.scripts(args), args
	if s.textOperands < 0 {
		if s.harmless {
			fixed = args[:min(1, len(args))]
		}
		judged = operands
		if len(s.textOptions) > 0 {
			judged = append(slices.Clone(operands), s.scripts(args)...)
		}
	}
	if slices.ContainsFunc(patterns(fixed), func(p string) bool { return s.textOperands < 0 || slices.Contains(judged, p) }) {
		return false
	}
	return !slices.ContainsFunc(judged, func(script string) bool { return !s.isSafe(script) })
}

// patterns returns the arguments that the shell replaces by names of files.
func patterns(args []word) (texts []string) {
	for _, a := range args {
		if a.pattern {
			texts = append(texts, a.text)
		}
	}
	return texts
}

// hasRequired reports whether one of the required options is given, if there are any.
func (s readOnlyUse) hasRequired(options []option) bool {
	return len(s.required) == 0 || slices.ContainsFunc(options, func(o option) bool { return slices.Contains(s.required, o.name) })
}

// takesNone reports whether no operand is allowed beside the options.
func (s readOnlyUse) takesNone(options []option) bool {
	given := func(names []string) bool {
		return slices.ContainsFunc(options, func(o option) bool { return slices.Contains(names, o.name) })
	}
	return s.noOperands && !given(s.operandsWith) || given(s.noOperandsWith)
}

// conflict reports whether one of the limited options is given without one of limitedWith.
func (s readOnlyUse) conflict(options []option) bool {
	return slices.ContainsFunc(options, func(o option) bool { return slices.Contains(s.limited, o.name) }) &&
		!slices.ContainsFunc(options, func(o option) bool { return slices.Contains(s.limitedWith, o.name) })
}

// lateOption reports whether there is a -- or an option after an operand.
func lateOption(args []word) bool {
	operands := false
	for _, a := range args {
		if a.text == "--" || operands && strings.HasPrefix(a.text, "-") {
			return true
		}
		operands = operands || !strings.HasPrefix(a.text, "-")
	}
	return false
}

// lateValues returns the arguments after the first operand that were read as values of
// options. Programs of BSD and macOS take no options after an operand, nor do awk and
// others: for these the values are files.
func (s readOnlyUse) lateValues(args []word) (values []string) {
	if s.single() || s.literal {
		return nil
	}
	late := false
	for i := 0; i < len(args) && args[i].text != "--"; i++ {
		if len(args[i].text) < 2 || args[i].text[0] != '-' {
			late = true
			continue
		}
		_, took := s.take(args[i].text, args[i+1:])
		for _, value := range args[i+1 : i+1+took] {
			if late {
				values = append(values, value.text)
			}
		}
		i += took
	}
	return values
}

// scripts returns the scripts of a call: the values of the options in textOptions, or
// else the first operand.
func (s readOnlyUse) scripts(args []word) (scripts []string) {
	options, operands, _ := s.split(args)
	for _, o := range options {
		if slices.Contains(s.textOptions, o.name) {
			scripts = append(scripts, o.value)
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts = operands[:1]
	}
	return scripts
}

// split tells options from operands. ok is false if an argument is not known or an option
// is not listed.
func (s readOnlyUse) split(args []word) (options []option, operands []string, ok bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.known && !a.data:
			return nil, nil, false
		case a.text == "--" && a.known && !s.literal:
			for _, rest := range args[i+1:] {
				if !rest.known {
					return nil, nil, false
				}
				operands = append(operands, rest.text)
			}
			return options, operands, true
		case len(a.text) > 1 && a.text[0] == '-' && !s.literal:
			more, took := s.take(a.text, args[i+1:])
			if more == nil {
				return nil, nil, false
			}
			options = append(options, more...)
			i += took
		default:
			operands = append(operands, a.text)
		}
	}
	return options, operands, true
}

// The values that an option may take, as readOnlyUse.options describes them.
const (
	notListed = 0
	noValue   = ' '
	twoValues = '2'
)

// valueOf returns which value an option takes: one of the constants above or of the
// characters : / ? =.
func (s readOnlyUse) valueOf(name string) byte {
	for o := range strings.FieldsSeq(s.options) {
		switch mark, ok := strings.CutPrefix(o, name); {
		case !ok:
		case mark == "":
			return noValue
		case mark == "::":
			return twoValues
		case len(mark) == 1 && strings.Contains(":/?=", mark):
			return mark[0]
		}
	}
	return notListed
}

// take reads one argument that is an option, or several short options in one. took is how
// many of the following arguments are values. The result is nil if an option is not
// listed.
func (s readOnlyUse) take(arg string, rest []word) (options []option, took int) {
	if strings.HasPrefix(arg, "--") || s.single() {
		return s.takeLong(arg, rest)
	}
	if s.valueOf("-#") != notListed && strings.Trim(arg[1:], "0123456789") == "" {
		return []option{{name: "-#"}}, 0
	}
	for i, c := range arg[1:] {
		o := option{name: "-" + string(c), value: arg[1+i+len(string(c)):]}
		switch kind := s.valueOf(o.name); kind {
		case noValue:
			o.value = ""
			options = append(options, o)
			continue
		case '?':
			return append(options, o), 0
		case ':', '/':
			if o.file = kind == '/'; o.value == "" {
				if o.value, took = nextValue(rest); took == 0 {
					return nil, 0
				}
			}
			return append(options, o), took
		}
		return nil, 0
	}
	return options, took
}

// takeLong reads one argument that is a long option.
func (s readOnlyUse) takeLong(arg string, rest []word) (options []option, took int) {
	name, value, joined := strings.Cut(arg, "=")
	kind := s.valueOf(name)
	o := option{name: name, value: value, file: kind == '/'}
	switch {
	case kind == notListed || joined && (kind == noValue || kind == twoValues) || !joined && kind == '=':
		return nil, 0
	case kind == twoValues:
		if len(rest) < 2 || !rest[0].known || !rest[1].known {
			return nil, 0
		}
		took = 2
	case (kind == ':' || kind == '/') && !joined:
		if o.value, took = nextValue(rest); took == 0 {
			return nil, 0
		}
	}
	return []option{o}, took
}

// nextValue returns the next argument as the value of an option.
func nextValue(rest []word) (value string, took int) {
	if len(rest) == 0 || !rest[0].known {
		return "", 0
	}
	return rest[0].text, 1
}

// single reports whether long options have one dash, as those of find and go have.
func (s readOnlyUse) single() bool { return strings.HasPrefix(s.options, "single ") }
