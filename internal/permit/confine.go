package permit

import (
	"path"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// SandboxProtected returns the names that a sandbox keeps commands from writing: those of
// [Rules.ProtectedNames] but for the folders of git, about which a sandbox knows more.
func (r Rules) SandboxProtected() []string {
	return slices.DeleteFunc(r.ProtectedNames(), func(name string) bool {
		return name == ".git" || strings.HasPrefix(name, ".git/")
	})
}

// DeniedFiles returns the files and folders, absolute, that deny rules of a kind, [Read] or
// [Write], keep from commands. whole is false if a rule has a pattern, so that the files are
// not all that it covers.
func (r Rules) DeniedFiles(kind Kind) (files []string, whole bool) {
	whole = true
	for _, pattern := range r.DeniedPaths(kind) {
		name := strings.TrimSuffix(pattern, "/**")
		switch {
		case name == "": // a rule without a path, which no sandbox can enforce
		case strings.ContainsAny(name, `*?\`) || path.Clean(name) != name:
			whole = false
		default:
			files = append(files, name)
		}
	}
	return files, whole
}

// enforceable reports whether a sandbox can keep commands from everything that the deny rules
// with a path cover.
func (r Rules) enforceable() bool {
	_, reads := r.DeniedFiles(Read)
	_, writes := r.DeniedFiles(Write)
	return reads && writes
}

// Addresses returns the arguments of the rules that allow and deny addresses; "" is every
// address.
func (r Rules) Addresses() (allow, deny []string) {
	if r.AnyURL {
		allow = append(allow, "")
	}
	of := func(rules []Rule, list []string) []string {
		for _, rule := range rules {
			if rule.Kind == URL && !slices.Contains(list, rule.Argument) {
				list = append(list, rule.Argument)
			}
		}
		return list
	}
	return of(r.Allow, allow), of(r.Deny, deny)
}

// ExcludedRules reads rules for commands that run outside the sandbox. from says in errors
// where they come from, as in "flag --sandbox-exclude".
func ExcludedRules(texts []string, from string) ([]Rule, error) {
	var rules []Rule
	for _, text := range texts {
		rule, err := ParseRule(text)
		if err == nil && rule.Kind != Shell {
			err = invalid(text, "only commands can be excluded from the sandbox, as in shell(docker:*)")
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "sandbox", from, "%q: %s", text, fault.Message(err))
		}
		rule.From = from
		rules = append(rules, rule)
	}
	return rules, nil
}

// DenyPath returns rules that deny reading and changing a file or folder and what is in it.
// path is absolute.
func DenyPath(path, from string) []Rule {
	var rules []Rule
	for _, kind := range []Kind{Read, Write} {
		for _, below := range []string{"", "/**"} {
			rules = append(rules, Rule{Kind: kind, Argument: Literal(path) + below, From: from})
		}
	}
	return rules
}
