package tool

import "strings"

// Filter says which tools a session offers to its model.
type Filter struct {
	// Available lists patterns; nil offers all tools, an empty list none.
	Available []string
	// Excluded lists patterns that are never offered.
	Excluded []string
	// ExcludedWins makes Excluded count beside Available too. Without it an
	// allowlist is the last word, as the protocol's default has it.
	ExcludedWins bool
}

// Offers reports whether the filter lets a tool through.
func (f Filter) Offers(d Definition) bool {
	if f.Available != nil {
		if !matchesAny(f.Available, d) {
			return false
		}
		return !f.ExcludedWins || !matchesAny(f.Excluded, d)
	}
	return !matchesAny(f.Excluded, d)
}

func matchesAny(patterns []string, d Definition) bool {
	for _, p := range patterns {
		if matches(p, d) {
			return true
		}
	}
	return false
}

// matches knows three forms: a bare name, "source:name" and "source:*". The
// source of a tool is fixed when it is registered and never read from its name,
// so a tool called "custom:x" is matched by its bare name too.
func matches(pattern string, d Definition) bool {
	if pattern == d.Name {
		return true
	}
	source, name, ok := strings.Cut(pattern, ":")
	return ok && Source(source) == d.Source && (name == "*" || name == d.Name)
}
