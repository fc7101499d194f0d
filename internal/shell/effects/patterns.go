package effects

import (
	"slices"
	"strings"
)

// mayLeadUp reports whether a pattern may match a parent folder: because it holds "..",
// or because ".*" matches ".." in shells before bash 5.2.
func mayLeadUp(pattern string) bool {
	for e := range strings.SplitSeq(pattern, "/") {
		if e == ".." || strings.HasPrefix(e, ".") && strings.ContainsAny(e, wildcards) {
			return true
		}
	}
	return false
}

// checkPatterns finds patterns whose matches may change what a program does. A pattern
// becomes as many words as it has matches, so a match can be a subcommand or a script, and
// can make the words after it one.
func (r *reader) checkPatterns(program string, args []word) {
	first := slices.IndexFunc(args, func(w word) bool { return w.pattern })
	if first < 0 {
		return
	}
	spec := readOnlyPrograms.Get()[program]
	before := args[:first]
	switch {
	case subcommands.Get()[program] && mayBeSubcommand(program, before):
		r.hidden("a pattern may match a subcommand of " + program)
	case program == "cd":
		r.unclear("it cannot be known where cd leads")
	case !awks.Get()[program] && spec.isSafe == nil, program == "printf" && first > 0 && isOperand(before[0]):
	case spec.textOperands < 0 || len(spec.scripts(before)) == 0 || before[first-1].text != "--" && strings.HasPrefix(before[first-1].text, "-"):
		r.hidden("a pattern may match a script of " + program)
	}
}

// mayBeSubcommand reports whether the next word of a program with subcommands may be one.
func mayBeSubcommand(program string, before []word) bool {
	at := slices.IndexFunc(before, isOperand)
	return at < 0 || at == len(before)-1 && nestedSubcommands.Get()[program+" "+before[at].text]
}

func isOperand(w word) bool { return !strings.HasPrefix(w.text, "-") }

// endsOptions reports whether -- ends the options of a program, and is not the value of
// the option before it.
func endsOptions(program string, args []word, before string) bool {
	if !strings.HasPrefix(before, "-") || strings.Contains(before, "=") {
		return true
	}
	spec, ok := readOnlyUse{}, false
	if first := args[0].text; len(first) < 64 { // a subcommand; this is called for each --
		spec, ok = readOnlyPrograms.Get()[program+" "+first]
	}
	if !ok {
		spec = readOnlyPrograms.Get()[program]
	}
	kind := spec.valueOf(before)
	return kind == noValue || kind == '?'
}
