package permit

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// maxAllowed bounds how many allowed tools of a skill count. Skills name a handful.
const maxAllowed = 100

// SkillRules reads the allowed tools that a skill names (`allowed-tools`). invalid says
// which entries are no rules, each with the reason.
func SkillRules(skill string, allowed []string) (rules []Rule, invalid []string) {
	if len(allowed) > maxAllowed {
		allowed, invalid = allowed[:maxAllowed], append(invalid, "all after the first 100")
	}
	for _, text := range allowed {
		r, err := skillRule(strings.TrimSpace(text))
		if err != nil {
			invalid = append(invalid, fmt.Sprintf("%.60q (%s)", text, fault.Message(err)))
			continue
		}
		r.From = "the skill " + skill
		rules = append(rules, r)
	}
	return rules, invalid
}

// toolKinds maps the tool names that skills use to the permission that the tool needs:
// the names of this program's tools, and those that other programs use.
var toolKinds = lazy.Value[map[string]Kind]{Make: func() map[string]Kind {
	kinds := map[string]Kind{}
	for _, f := range fact.All() {
		for _, name := range f.Skills {
			kinds[name] = Kind(f.Rule)
		}
	}
	return kinds
}}

// ToolKind returns the kind of permission that a built-in tool needs, by one of the names
// that programs give such tools; ok is false for other tools.
func ToolKind(tool string) (kind Kind, ok bool) {
	kind, ok = toolKinds.Get()[tool]
	return kind, ok
}

// skillRule reads one entry: a rule of the command line, or a tool by one of its
// names, as in Bash(git:*), Read and WebFetch(domain:example.com).
func skillRule(text string) (Rule, error) {
	name, argument, narrowed := strings.Cut(text, "(")
	kind, known := toolKinds.Get()[strings.TrimSpace(name)]
	if !known {
		return ParseRule(text)
	}
	if !narrowed {
		return NewRule(string(kind), "", false)
	}
	argument, closed := strings.CutSuffix(strings.TrimSpace(argument), ")")
	if argument = strings.TrimSpace(argument); !closed {
		return ParseRule(text) // says what is missing
	}
	switch kind {
	case Shell:
		if start, open := strings.CutSuffix(argument, " *"); open {
			argument = start + ":*"
		}
	case URL:
		argument = strings.TrimPrefix(argument, "domain:")
	}
	if argument == "*" {
		return NewRule(string(kind), "", false)
	}
	return ParseRule(string(kind) + "(" + argument + ")")
}
