package effects

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ownArguments returns the arguments of find or xargs without the program that they run, if
// that program only reads, and every file that it gets is a regular file in the folders of
// find. find -type f returns no symbolic links, and with -print0 and -0 no name can be taken
// for two. For anything else it returns all arguments, and the call does not count as one that
// only reads.
func (r *reader) ownArguments(program string, args []word) []word {
	var own, command, files []word
	switch {
	case program == "find":
		at := slices.IndexFunc(args, func(w word) bool { return w.text == "-exec" })
		end := len(args) - 1
		if at < 0 || end < at+2 || !isPlainFind(r.texts(args[:at])) {
			return args
		}
		if args[end].text == "+" && args[end-1].text != "{}" || args[end].text != "+" && args[end].text != ";" {
			return args
		}
		own, command, files = args[:at], args[at+1:end], findFolders(args[:at])
		if slices.ContainsFunc(command, mayEndAction) {
			return args
		}
	case r.fed:
		at := 0
		for at < len(args) && len(args[at].text) > 1 && args[at].text[0] == '-' {
			_, took := readOnlyPrograms.Get()["xargs"].take(args[at].text, args[at+1:])
			at += 1 + took
		}
		if at >= len(args) || !slices.ContainsFunc(args[:at], func(w word) bool { return w.text == "-0" || w.text == "--null" }) {
			return args
		}
		own, command, files = args[:at], append(slices.Clone(args[at:]), word{text: "{}", known: true}), []word{{text: ".", known: true}}
	default:
		return args
	}
	if !r.readsEach(command, files) {
		return args
	}
	return own
}

// mayEndAction reports whether an argument may end the -exec that it belongs to, so that the
// arguments after it belong to find.
func mayEndAction(w word) bool {
	return !w.known || w.pattern || w.text == ";" || w.text == "+"
}

// readsEach reads a command that gets files in the place of {}. It returns false, and does
// nothing, if the command does not only read.
func (r *reader) readsEach(command, files []word) bool {
	var words []word
	for _, w := range command {
		switch {
		case w.text == "{}":
			r.spend(2*perItem*len(files), len(files))
			words = append(words, files...)
		case strings.Contains(w.text, "{}"):
			return false // another name than that of the file
		default:
			words = append(words, w)
		}
	}
	name := words[0]
	spec, listed := readOnlyPrograms.Get()[name.text]
	switch {
	case !listed || !name.known || name.pattern || name.variable || spec.maxOperands > 0 || subcommands.Get()[name.text] || spec.literal:
		return false
	case slices.Contains([]string{"cd", "read", "find", "xargs", "command", "type", "which", "tar"}, name.text):
		return false
	}
	if spec.isSafe != nil {
		for _, script := range spec.scripts(words[1:]) {
			if slices.ContainsFunc(files, func(f word) bool { return f.text == script }) {
				return false // the name of a file would be the script
			}
		}
	}
	if _, ok := spec.check(words[1:]); !ok {
		return false
	}
	r.nested(func() { r.program(words) })
	return true
}

// isPlainFind reports whether find returns regular files only: -type f holds for all of them.
func isPlainFind(args []string) bool {
	regular := false
	for i, a := range args {
		switch a {
		case "-o", "-or", ",", "(", ")", "-exec", "-execdir", "-ok", "-okdir", "-L", "-follow", "-H":
			return false
		case "-type":
			regular = regular || i+1 < len(args) && args[i+1] == "f" && (i == 0 || args[i-1] != "!" && args[i-1] != "-not")
		}
	}
	return regular
}

// findFolders returns the folders in which find searches.
func findFolders(args []word) []word {
	n := slices.IndexFunc(args, func(w word) bool { return w.text == "!" || len(w.text) > 0 && w.text[0] == '-' })
	if n < 0 {
		n = len(args)
	}
	if n == 0 {
		return []word{{text: ".", known: true}}
	}
	return args[:n]
}

// feedsXargs reports whether a pipeline gives an xargs the regular files that find returns.
func feedsXargs(c *syntax.BinaryCmd) bool {
	from, ok := c.X.Cmd.(*syntax.CallExpr)
	to, direct := c.Y.Cmd.(*syntax.CallExpr)
	if !ok || !direct || c.Op != syntax.Pipe || len(c.Y.Redirs) > 0 || len(to.Args) == 0 {
		return false
	}
	words := make([]string, len(from.Args))
	for i, a := range from.Args {
		if words[i], ok = literalText(a.Parts); !ok {
			return false
		}
	}
	return len(words) > 0 && words[0] == "find" && slices.Contains(words, "-print0") && isPlainFind(words[1:]) &&
		!slices.ContainsFunc(words, func(w string) bool { return w == "-print" || w == "-printf" || w == "-ls" })
}
