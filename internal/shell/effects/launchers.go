package effects

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// launched finds out which other programs a program runs, and reads those that it can
// find.
func (r *reader) launched(program string, p permit.Program, words []word) {
	args := words[1:]
	program = family(program)
	l, launches := launchers.Get()[program]
	_, wraps := wrappers.Get()[program]
	switch {
	case wraps && !p.ReadOnly: // unwrap has not understood its arguments
		r.hidden(program + " runs another program")
		r.behind(launch{}, args)
	case p.ReadOnly && (program == "read" || program == "find"):
	case stateful.Get()[program]:
		r.hidden(program + " changes what later commands mean")
	case opaque.Get()[program]:
		r.hidden(program + " can run other programs")
	case interactive.Get()[program]:
		r.hidden(program + " reads commands of its own while it runs")
	case launches && !p.ReadOnly:
		r.hidden(program + " runs another program")
		r.behind(l, args)
	case interpreters.Get()[program] != nil:
		r.interpreter(program, args)
	case program == "find":
		r.find(args)
	case program == "git" && !(p.ReadOnly && strings.HasPrefix(p.Name, "git config")):
		r.git(p.Name, args)
	case fetchers.Get()[program].options != "" || otherFetchers.Get()[program]:
		r.fetcher(program, args)
	case program == "sed" || program == "gsed":
		r.script(program, args, sedScripts, sedIsSafe)
	case awks.Get()[program]:
		r.script(program, args, awkScripts, awkIsSafe)
		r.awkHosts(args)
	case program == "printf" && slices.ContainsFunc(args, func(w word) bool { return !printfIsSafe(w.text) }):
		r.hidden("printf sets a variable")
	}
	r.gitProgram(program, args)
	r.runner(program, args)
	r.code(program, args)
	r.checkOptions(program, args)
}

// versioned is the end of a name such as python3.12, lua5.4 or perl5.36.0.
var versioned = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`-?[0-9]+(\.[0-9]+)*$`) }}

// family returns the name under which the tables list a program: python3.12 is in them as python,
// gfind (as macOS and the BSDs call the find of GNU) as find. A name that is listed stays.
func family(program string) string {
	if listed(program) {
		return program
	}
	plain := versioned.Get().ReplaceAllString(program, "")
	switch {
	case strings.HasPrefix(program, "ld-linux"), strings.HasPrefix(program, "ld-musl"):
		return "ld.so"
	case listed(plain):
		return plain
	case gnu.Get()[program]:
		return program[1:]
	}
	return program
}

// gnu are programs of GNU under the names that they have beside those of BSD.
var gnu = set{names: "gfind gxargs genv gnice gnohup gtimeout gstdbuf gtar gsort gsplit gchroot"}

// listed reports whether one of the tables of programs that run others has a program.
func listed(program string) bool {
	_, launches := launchers.Get()[program]
	_, wraps := wrappers.Get()[program]
	_, options := launchOptions.Get()[program]
	return launches || wraps || options || opaque.Get()[program] || interactive.Get()[program] || interpreters.Get()[program] != nil || awks.Get()[program] || program == "find"
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
			if pythonLaunchers.Get()[args[i+1].text] {
				r.hidden("the module " + args[i+1].text + " runs code that is not in a file")
			}
			return // a module is a file as well
		case slices.Contains(interpreters.Get()[program], a.text):
			continue
		case strings.HasPrefix(a.text, "-") && shells.Get()[program] && strings.HasSuffix(a.text, "c") && i+1 < len(args):
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

// find reads every command that find runs, and notes when find deletes or writes. -- ends only
// the options -H, -L and -P: an expression follows, and an argument behind -- is not certain to
// be a folder.
func (r *reader) find(args []word) {
	for i, a := range args {
		switch a.text {
		case "--":
			r.hidden("what follows -- may be an expression of find")
		case "-exec", "-execdir", "-ok", "-okdir":
			r.hidden("find runs a program for what it finds")
			if i+1 < len(args) && args[i+1].known && permit.IsProgramName(args[i+1].text) {
				r.nested(func() { r.program(untilActionEnds(args[i+1:])) })
			}
		case "-delete":
			r.unclear("find deletes what it finds")
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			r.unclear("find writes a file")
		}
	}
}

// untilActionEnds returns the command of an -exec: the arguments up to ; or {} +.
func untilActionEnds(args []word) []word {
	for i, a := range args {
		if i > 0 && (a.text == ";" || a.text == "+" && args[i-1].text == "{}") {
			return args[:i]
		}
	}
	return args
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

// code finds subcommands and options with which a program runs code.
func (r *reader) code(program string, args []word) {
	risky, ok := codeOptions.Get()[program]
	for _, w := range args {
		if ok && risky.matches(w.text) || w.text == "-" && readsCode.Get()[program] {
			r.hidden(program + " runs code: " + w.text)
		}
	}
}

// programVariables is what the names of variables hold with which programs find, load or run
// others: PATH, LD_PRELOAD, GIT_PAGER, NODE_OPTIONS, PYTHONSTARTUP. Source: the manuals of
// bash, ld.so, git, make and the interpreters.
var programVariables = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`PATH|^LD_|^DYLD_|ENV$|PAGER|EDITOR|VISUAL|BROWSER|SHELL|^GIT_|OPTS?$|OPTIONS?$|FLAGS$|COMMAND|CMD|PROGRAM|WRAPPER|ASKPASS|^SSH|^PROMPT|^PS[0-4]$|EXEC|PRELOAD|STARTUP|^PERL|^RUBY|^PYTHON(HOME|INSPECT|BREAKPOINT|WARNINGS)|^NODE_(?:OPTIONS|REPL)|^LESS|^MAN|^(CC|CXX|LD|AR|CPP|RUSTC|IFS|BASHOPTS|SHELLOPTS|HOME|XDG_.*|CARGO.*|RUSTUP.*|TERMINAL|KUBECONFIG|DOCKER_.*|npm_config.*|NPM_CONFIG.*)$`)
}}

// startsProgram reports whether an assignment may make a program run another one.
func startsProgram(a *syntax.Assign) bool {
	return a.Name == nil || programVariables.Get().MatchString(a.Name.Value)
}
