package effects

import (
	"slices"
	"strings"
)

// readOnlyUse describes the arguments with which a program changes nothing and runs
// nothing. Arguments that are not listed are not known to be harmless.
type readOnlyUse struct {
	// options are the ones that may be given, separated by spaces. "-n" and "--name" take
	// no value. A colon means a value that is not a file ("-A:", "--include:"), a slash a
	// value that is a file ("-f/"), a question mark a value only after = ("--color?").
	// "-#" is a number. The first word "single" means that long options have one dash.
	options string
	// textOperands is how many operands, from the first on, are text and not files: a
	// pattern, a script. A negative number means all. If one of the options in
	// textOptions is given, there are none.
	textOperands int
	textOptions  []string
	// maxOperands is how many operands are allowed, 0 for any number. The program would
	// write to the operand after them.
	maxOperands int
	// noOperands means that no operand is allowed.
	noOperands bool
	// needsOption means that one of the options must be given. Without one, the program
	// does something else than print: make runs the Makefile.
	needsOption bool
	// harmless programs have no option at all that writes or runs something, so a pattern
	// may match a name that looks like an option.
	harmless bool
	// literal programs have no options: they take every argument as it is, also one that
	// begins with a dash.
	literal bool
	// isSafe judges the script or, where all operands are text, each operand. nil accepts
	// all.
	isSafe func(string) bool
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
	if !ok {
		return nil, false
	}
	if s.needsOption && len(options) == 0 {
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
	if s.noOperands && len(operands) > 0 || s.maxOperands > 0 && len(operands) > s.maxOperands {
		return nil, false
	}
	if s.isSafe != nil {
		judged := s.scripts(args)
		if s.textOperands < 0 {
			judged = operands
		}
		for _, script := range judged {
			if !s.isSafe(script) {
				return nil, false
			}
		}
	}
	return append(paths, operands[text:]...), true
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
		case !a.known:
			return nil, nil, false
		case a.text == "--" && !s.literal:
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

// lists reports whether an option is listed.
func (s readOnlyUse) lists(option string) bool {
	for o := range strings.FieldsSeq(s.options) {
		if o == option {
			return true
		}
	}
	return false
}

// take reads one argument that is an option, or several short options in one. took is how
// many of the following arguments are values. The result is nil if an option is not
// listed.
func (s readOnlyUse) take(arg string, rest []word) (options []option, took int) {
	next := func() (string, bool) {
		if len(rest) == 0 || !rest[0].known {
			return "", false
		}
		took = 1
		return rest[0].text, true
	}
	if strings.HasPrefix(arg, "--") || s.single() {
		name, value, joined := strings.Cut(arg, "=")
		o := option{name: name, value: value, file: s.lists(name + "/")}
		switch {
		case s.lists(name) && !joined, s.lists(name + "?"):
		case !s.lists(name+":") && !o.file:
			return nil, 0
		case !joined:
			if o.value, joined = next(); !joined {
				return nil, 0
			}
		}
		return []option{o}, took
	}
	if s.lists("-#") && strings.Trim(arg[1:], "0123456789") == "" {
		return []option{{name: "-#"}}, 0
	}
	for i, c := range arg[1:] {
		o := option{name: "-" + string(c)}
		if s.lists(o.name) {
			options = append(options, o)
			continue
		}
		o.file = s.lists(o.name + "/")
		if !o.file && !s.lists(o.name+":") {
			return nil, 0
		}
		if o.value = arg[1+i+len(string(c)):]; o.value == "" {
			var ok bool
			if o.value, ok = next(); !ok {
				return nil, 0
			}
		}
		return append(options, o), took
	}
	return options, took
}

// single reports whether long options have one dash, as those of find and go have.
func (s readOnlyUse) single() bool { return strings.HasPrefix(s.options, "single ") }
