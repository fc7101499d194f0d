package peerfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Matcher says what a hook is called for. The zero value is everything.
type Matcher struct {
	names   []string // exactly one of these; nil: see pattern
	pattern *regexp.Regexp
}

// newMatcher reads a matcher. Under a name in camelCase it is a regular expression for the whole name, under one
// in PascalCase a list of names, or a regular expression if it has other characters than those of names.
// The expression of a file of Claude Code may be found anywhere in the name.
func newMatcher(text string, pascal, claude bool) (m Matcher, err error) {
	if text = strings.TrimSpace(text); text == "" || text == "*" {
		return m, nil
	}
	if pascal && !strings.ContainsFunc(text, special) {
		m.names = strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
		return m, nil
	}
	whole := "^(?:" + text + ")$"
	if pascal && claude {
		whole = text
	}
	if m.pattern, err = regexp.Compile(whole); err != nil {
		return m, fmt.Errorf("it does not run: matcher: %w", err)
	}
	return m, nil
}

// special reports whether a character is none of a list of names.
func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-,| ", r))
}

// Any reports whether one of several names of the same thing matches.
func (m Matcher) Any(names ...string) bool {
	switch {
	case m.names != nil:
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(m.names, name) })
	case m.pattern != nil:
		return slices.ContainsFunc(names, m.pattern.MatchString)
	}
	return true
}
