package effects

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// reach notes which files a program may open that the command does not name, and whether it
// connects to nothing that the command does not name. A program that is not listed here may
// do anything. args come after the name of the program.
func (r *reader) reach(p *permit.Program, program string, args []word) {
	if strings.Contains(p.Name, "/") {
		return
	}
	switch {
	case p.ReadOnly:
		p.Offline = program != "go" // it downloads modules that are missing
		p.Opens, p.Below = r.reads(p.Name, program, args)
	case program == "curl":
		if !slices.ContainsFunc(args, func(w word) bool { return !curlIsPlain(w) }) {
			p.Opens, p.Offline = permit.NamedOnly, true
		}
	case changers.Get()[program] != "" && !slices.ContainsFunc(args, func(w word) bool { return readsNames(program, w.text) }):
		p.Offline = true
		p.Opens, p.Below = r.changes(changers.Get()[program], args)
	}
}

// reads returns the reach of a call that only reads.
func (r *reader) reads(name, program string, args []word) (permit.Reach, []permit.Path) {
	switch {
	case readsNothing.Get()[name], readOnlyPrograms.Get()[name].needsOption:
		return permit.Nothing, nil
	case program == "git":
		if gitShowsNames(name, args) {
			return permit.NamedOnly, nil
		}
		return permit.Anything, nil
	case program == "go":
		return permit.NamedOnly, append(r.folders(args), r.here()...)
	case program == "find" && slices.ContainsFunc(args, func(w word) bool { return strings.HasPrefix(w.text, "-exec") || strings.HasPrefix(w.text, "-ok") }):
		return permit.NamedOnly, append(r.folders(args), r.here()...) // the program that it runs opens what it finds
	case program == "xargs", program == "parallel": // the names come from the input
		return permit.Anything, nil
	case program == "diff":
		return permit.NamedOnly, r.folders(args)
	case program == "rg", program == "grep" || program == "egrep" || program == "fgrep":
		spec := readOnlyPrograms.Get()[program]
		options, operands, _ := spec.split(args)
		if program != "rg" && !slices.ContainsFunc(options, recurses) {
			return permit.NamedOnly, nil
		}
		text := 1
		if slices.ContainsFunc(options, func(o option) bool { return slices.Contains(spec.textOptions, o.name) }) {
			text = 0
		}
		if len(operands) <= text {
			return permit.NamedOnly, r.here()
		}
		return permit.NamedOnly, r.folders(args)
	}
	return permit.NamedOnly, nil
}

// recurses reports whether an option of grep makes it read the files of a folder.
func recurses(o option) bool {
	return o.name == "-r" || strings.HasPrefix(o.name, "--rec") || (o.name == "-d" || o.name == "--directories") && o.value != "skip" && o.value != "read"
}

// readsNothing are programs that read no file and list no folder, if they only read.
var readsNothing = set{names: `echo printf pwd true false : exit sleep seq basename dirname cd whoami id hostname uname uptime nproc arch free groups
	tty command which type test [ date`}

// changers are programs that change files, by what they open: "named" files only, what is
// "below" folders that they name, or "here", which is below the working directory, too. "into" is
// below a folder that comes last, and "suffix" is a copy beside the file (sed -i.old). Those
// with "nothing" read no file. Behind a slash are the options that make a program go through
// folders; without one of them it opens only named files. Source: the manual of each program.
var changers = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"mkdir": "nothing", "rmdir": "nothing", "touch": "nothing", "mktemp": "nothing", "unlink": "nothing", "truncate": "nothing", "kill": "nothing",
		"tee": "named", "sed": "suffix", "gsed": "suffix", "sort": "named", "uniq": "named", "dd": "named",
		"cp": "into/rRat", "rm": "below/rR", "chmod": "below/R", "chown": "below/R", "chgrp": "below/R", "mv": "below", "ln": "below",
		"tar": "here", "bsdtar": "here", "zip": "here", "unzip": "here", "gzip": "here", "gunzip": "here", "patch": "here",
	}
}}

// readsNames reports whether an argument may be an option with which a program reads the names
// of further files from a file or from its input.
func readsNames(program, arg string) bool {
	return strings.HasPrefix(arg, "--f") || strings.HasPrefix(arg, "-@") || (program == "tar" || program == "bsdtar") && !strings.HasPrefix(arg, "--") &&
		!strings.ContainsAny(arg, "./") && strings.Contains(arg, "T")
}

// changes returns the reach of a program that changes files.
func (r *reader) changes(how string, args []word) (permit.Reach, []permit.Path) {
	how, letters, optional := strings.Cut(how, "/")
	if optional && !slices.ContainsFunc(args, func(w word) bool { return !w.known || goesThrough(w.text, letters) }) {
		if args = args[max(0, len(args)-1):]; how != "into" { // cp writes into the folder that comes last
			args = nil
		}
	}
	switch how {
	case "nothing":
		return permit.Nothing, nil
	case "below", "into":
		return permit.NamedOnly, r.folders(args)
	case "suffix":
		if !slices.ContainsFunc(args, keepsACopy) {
			return permit.NamedOnly, nil
		}
		fallthrough
	case "here":
		return permit.NamedOnly, append(r.folders(args), r.here()...)
	}
	return permit.NamedOnly, nil
}

// keepsACopy reports whether an argument of sed may be -i with the suffix of a copy.
func keepsACopy(w word) bool {
	i := strings.IndexByte(w.text, 'i')
	return strings.HasPrefix(w.text, "--i") && strings.Contains(w.text, "=") ||
		strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && i > 0 && i < len(w.text)-1
}

// goesThrough reports whether an argument may be one of the options that make a program go
// through folders. Long options are taken for one.
func goesThrough(arg, letters string) bool {
	return strings.HasPrefix(arg, "--") && len(arg) > 2 || strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, letters)
}

// curlIsPlain reports whether an argument of curl neither reads nor writes a file that it does
// not name, nor makes curl follow redirects. Source: man curl.
func curlIsPlain(w word) bool {
	switch name, _, _ := strings.Cut(w.text, "="); {
	case !w.known:
		return false
	case strings.HasPrefix(name, "--"):
		return slices.Contains(plainCurl.Get(), name)
	case strings.HasPrefix(name, "-") && len(name) > 1:
		last := strings.IndexAny(name, "oHdXAmwu") // takes the rest of the word as its value
		if last < 0 {
			last = len(name)
		}
		return strings.Trim(name[1:last], "sSfiIvkg046") == ""
	}
	return true
}

var plainCurl = lazy.Value[[]string]{Make: func() []string {
	return strings.Fields(`--silent --show-error --fail --include --head --verbose --insecure --output --header --data --data-raw --json
	--request --user-agent --max-time --write-out --user --compressed --connect-timeout --retry`)
}}

// gitShowsNames reports whether a git command that only reads shows names, messages and
// counts, and no contents of files.
func gitShowsNames(name string, args []word) bool {
	if slices.Contains(gitNames, name) {
		return name != "git status" || !slices.ContainsFunc(args, func(w word) bool { return strings.HasPrefix(w.text, "-v") || strings.HasPrefix(w.text, "--v") })
	}
	if name == "git show" { // prints a file that is named by its hash, whatever the options
		return false
	}
	counts := name == "git log" || name == "git reflog" || name == "git shortlog"
	for _, w := range args {
		option, _, _ := strings.Cut(w.text, "=")
		switch {
		case option == "--":
			return counts
		case !strings.HasPrefix(option, "-"), strings.Trim(option, "-0123456789") == "":
		case slices.Contains(gitCounts.Get(), option):
			counts = true
		case name != "git log" && name != "git shortlog" || !slices.Contains(gitLogNames.Get(), option):
			return false
		}
	}
	return counts
}

var (
	gitNames = []string{
		"git", "git version", "git status", "git branch", "git tag", "git remote", "git remote get-url", "git rev-parse", "git ls-files",
		"git ls-tree", "git worktree list", "git describe", "git rev-list", "git merge-base", "git for-each-ref", "git show-ref", "git show-branch", "git cherry",
		"git name-rev", "git symbolic-ref", "git check-ignore", "git count-objects",
	}
	gitCounts = lazy.Value[[]string]{Make: func() []string {
		return strings.Fields("--stat --shortstat --numstat --name-only --name-status --summary --no-patch -s --quiet")
	}}
	gitLogNames = lazy.Value[[]string]{Make: func() []string {
		return strings.Fields(`-n --max-count --oneline --graph --all --decorate --no-decorate --author --committer --grep --since --until --after --before
		--format --pretty --date --abbrev-commit --reverse --merges --no-merges --first-parent --no-color --color --follow --topo-order --skip -e --email --numbered`)
	}}
)
