package effects

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// gitProgram reads a subcommand of git that is run as a program of its own, such as git-push or
// /usr/lib/git-core/git-push, like the subcommand itself. git(1), "--exec-path".
func (r *reader) gitProgram(program string, args []word) {
	sub, ok := strings.CutPrefix(program, "git-")
	if !ok || sub == "" {
		return
	}
	words := append([]word{{text: sub, known: true}}, args...)
	r.besides(append([]string{"git"}, r.texts(words)...))
	if !gitSubcommands.Get()[sub] {
		return // it comes from another package, as git-lfs does
	}
	name := "git " + sub
	if nestedSubcommands.Get()[name] && len(args) > 0 {
		name += " " + args[0].text
	}
	r.git(name, words)
	r.runner("git", words)
}

// gitSigned matches a format that shows a signature, for which git runs the program that checks
// it. Between the percent sign and the letter may be a sign that adds or removes a blank.
// Sources: git-log, "PRETTY FORMATS"; git-for-each-ref, "FIELD NAMES".
var gitSigned = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`%[-+ ]?G|%\(\*?signature`) }}

// gitSortsBySignature matches the signature as the key by which refs are sorted.
var gitSortsBySignature = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^(--sort=)?-?\*?signature(:|$)`) }}

// gitChecksSignatures reports whether a git command may check signatures.
func gitChecksSignatures(name string, args []word) bool {
	sorts := name == "git branch" || name == "git tag" || name == "git for-each-ref"
	return slices.ContainsFunc(args, func(w word) bool {
		return gitSigned.Get().MatchString(w.text) || sorts && gitSortsBySignature.Get().MatchString(w.text)
	})
}
