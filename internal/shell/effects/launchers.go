package effects

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// launched finds out which other programs a program runs, and reads those that it can
// find.
func (r *reader) launched(program string, p permit.Program, words []word) {
	args := words[1:]
	_, wraps := wrappers[program]
	switch {
	case wraps && !p.ReadOnly: // unwrap has not understood its arguments
		r.hidden(program + " runs another program")
		r.launchedCommand(nil, args)
	case p.ReadOnly && (program == "read" || program == "find" || program == "xargs" || program == "arch"):
	case stateful[program]:
		r.hidden(program + " changes what later commands mean")
	case opaque[program]:
		r.hidden(program + " can run other programs")
	case interactive[program]:
		r.hidden(program + " reads commands of its own while it runs")
	case launchers[program] != nil:
		r.hidden(program + " runs another program")
		r.launchedCommand(launchers[program], args)
	case interpreters[program] != nil:
		r.interpreter(program, args)
	case program == "find":
		r.find(args)
	case program == "git" && !(p.ReadOnly && strings.HasPrefix(p.Name, "git config")):
		r.git(p.Name, args)
	case fetchers[program].options != "" || otherFetchers[program]:
		r.fetcher(program, args)
	case program == "sed" || program == "gsed":
		r.script(program, args, sedScripts, sedIsSafe)
	case awks[program]:
		r.script(program, args, awkScripts, awkIsSafe)
	case program == "printf" && slices.ContainsFunc(args, func(w word) bool { return !printfIsSafe(w.text) }):
		r.hidden("printf sets a variable")
	}
	r.checkOptions(program, args)
}

// launchedCommand reads the command behind the arguments of the program that launches it,
// as far as it can be found. values are the launcher's options that take a value.
func (r *reader) launchedCommand(values []string, args []word) {
	if r.depth >= maxDepth-2 {
		return
	}
	for i := 0; i < len(args); i++ {
		switch w := args[i].text; {
		case slices.Contains(values, w):
			i++
		case strings.HasPrefix(w, "-") || strings.Contains(w, "="):
		default:
			if args[i].known && permit.IsProgramName(w) {
				r.nested(func() { r.program(args[i:]) })
			}
			return
		}
	}
}

// interpreter reads sh, python and similar programs. A file that they run is an argument
// like any other; code on the command line or on standard input makes the command
// unclear.
func (r *reader) interpreter(program string, args []word) {
	for i, a := range args {
		switch {
		case !a.known || a.pattern:
			r.hidden("it is not known what " + program + " runs")
			return
		case a.text == "-m" && strings.HasPrefix(program, "py") && i+1 < len(args):
			if pythonLaunchers[args[i+1].text] {
				r.hidden("the module " + args[i+1].text + " runs code that is not in a file")
			}
			return // a module is a file as well
		case slices.Contains(interpreters[program], a.text):
			continue
		case strings.HasPrefix(a.text, "-") && shells[program] && strings.HasSuffix(a.text, "c") && i+1 < len(args):
			r.hidden(program + " runs the text of an argument")
			if args[i+1].known {
				r.parse(args[i+1].text)
			}
			return
		case strings.HasPrefix(a.text, "-"):
			r.hidden(program + " runs code that is not in a file")
			return
		}
		return // a file
	}
	if len(args) == 0 || !slices.Contains(versions, args[len(args)-1].text) {
		r.hidden(program + " runs the code that it reads from its input")
	}
}

// find reads the commands that find runs, and notes when it deletes or writes.
func (r *reader) find(args []word) {
	for i, a := range args {
		switch a.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			r.hidden("find runs a program for what it finds")
			if i+1 < len(args) && args[i+1].known && permit.IsProgramName(args[i+1].text) {
				r.nested(func() { r.program(args[i+1:]) })
			}
			return
		case "-delete":
			r.unclear("find deletes what it finds")
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			r.unclear("find writes a file")
		}
	}
}

// script checks a program whose first operand is a script, such as sed.
func (r *reader) script(program string, args []word, spec readOnlyUse, isSafe func(string) bool) {
	_, _, ok := spec.split(args)
	scripts := spec.scripts(args)
	for _, s := range scripts {
		ok = ok && isSafe(s)
	}
	if !ok || len(scripts) == 0 {
		r.hidden("the script of " + program + " may run programs or write files")
	}
}
