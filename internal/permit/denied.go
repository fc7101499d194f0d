package permit

import (
	"slices"
	"strings"
)

// DeniedPaths returns the paths that deny rules of a kind, [Read] or [Write], keep from
// commands, as absolute patterns: * and ? stay within one name, ** crosses folders, and \
// quotes the next character. A pattern stands for what is below it, too, and a rule without a
// path is "/**". Upper and lower case count as the same. The order is that of the rules.
//
// A sandbox has to make these paths unreadable or read-only before [Rules.Sandboxed] is
// true.
func (r Rules) DeniedPaths(kind Kind) []string {
	var patterns []string
	for _, rule := range r.Deny {
		if rule.Kind != kind {
			continue
		}
		pattern := "/**"
		if rule.Argument != "" {
			pattern = r.absolute(rule.Argument)
		}
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// Withholds reports whether a deny rule covers a file below the path of the request. name is
// absolute, with symbolic links resolved.
func (q Request) Withholds(name string) bool {
	return slices.ContainsFunc(q.Denied, func(pattern string) bool {
		return (Rules{}).touches(strings.TrimSuffix(pattern, "/**"), Path{Name: name, Real: name})
	})
}
