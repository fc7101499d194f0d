package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// What a skill names as its allowed tools needs no question from when it is loaded
// until its session ends. Denials still count. Skills of a project have a say in that
// only if its folder is trusted: who clones a repository has allowed nothing yet.

// skillTools is the type of the warning about allowed tools that allow nothing.
const skillTools = "skill_allowed_tools"

// lend takes from a skill what it may not allow, and returns a warning that says so,
// the first time that the session loads it.
func (s *Session) lend(ctx context.Context, skill *prompt.SkillText) ([]wire.Data, error) {
	if len(skill.AllowedTools) == 0 {
		return nil, nil
	}
	var known bool
	err := s.post(context.WithoutCancel(ctx), func() error { _, known = s.lent[skill.Name]; return nil })
	if err != nil {
		return nil, err
	}
	why := ""
	if _, odd := skillRules(skill.Name, skill.AllowedTools); len(odd) > 0 {
		why = "The skill " + skill.Name + " names allowed tools that are none: " + strings.Join(odd, "; ") + "."
	}
	if skill.Source == "project" || skill.Source == "inherited" {
		if trusted, err := s.reg.Trusted(skill.Path); err != nil || !trusted {
			skill.AllowedTools = nil
			why = "The allowed tools of the skill " + skill.Name + " are asked about like others: the folder it lies in is not trusted."
		}
	}
	if known || why == "" {
		return nil, nil
	}
	return []wire.Data{&wire.SessionWarning{WarningType: skillTools, Message: why}}, nil
}

// borrows takes over the rules of a skill that was loaded.
func (h *history) borrows(data wire.Raw) {
	name := data.Get("name").Text()
	rules, _ := skillRules(name, texts(data.Get("allowedTools")))
	h.lent = with(maps.Clone(h.lent), name, rules)
}

// borrowed are the rules of all skills that were loaded.
func (h *history) borrowed() (rules []permit.Rule) {
	for _, name := range slices.Sorted(maps.Keys(h.lent)) {
		rules = append(rules, h.lent[name]...)
	}
	return rules
}

// maxAllowed bounds the allowed tools of a skill. People write a handful.
const maxAllowed = 100

// skillRules reads the allowed tools of a skill. odd says which are no rules, and why.
func skillRules(skill string, allowed []string) (rules []permit.Rule, odd []string) {
	if len(allowed) > maxAllowed {
		allowed, odd = allowed[:maxAllowed], append(odd, "all after the first 100")
	}
	for _, text := range allowed {
		r, err := skillRule(strings.TrimSpace(text))
		if err != nil {
			odd = append(odd, fmt.Sprintf("%.60q (%s)", text, fault.Message(err)))
			continue
		}
		r.From = "the skill " + skill
		rules = append(rules, r)
	}
	return rules, odd
}

// toolKinds are the names by which skills call what needs permission: those of this
// program's tools, and those in use elsewhere. Source: https://code.claude.com/docs/en/tools-reference
var toolKinds = map[string]permit.Kind{
	"Bash": permit.Shell, "bash": permit.Shell,
	"Read": permit.Read, "view": permit.Read, "LS": permit.Read, "Glob": permit.Read, "glob": permit.Read, "Grep": permit.Read, "grep": permit.Read,
	"Write": permit.Write, "create": permit.Write, "Edit": permit.Write, "edit": permit.Write, "MultiEdit": permit.Write, "NotebookEdit": permit.Write,
	"WebFetch": permit.URL, "web_fetch": permit.URL,
}

// skillRule reads one entry: a rule of the command line, or a tool by one of its
// names, as in Bash(git:*), Read and WebFetch(domain:example.com).
func skillRule(text string) (permit.Rule, error) {
	name, argument, narrowed := strings.Cut(text, "(")
	kind, known := toolKinds[strings.TrimSpace(name)]
	if !known {
		r, err := permit.ParseRule(text)
		if err == nil && r.Kind == permit.CustomTool && strings.ContainsAny(r.Argument, "*?") {
			return permit.Rule{}, fault.New(fault.Invalid, "rule", text, "a tool is allowed by its whole name")
		}
		return r, err
	}
	if !narrowed {
		return permit.NewRule(string(kind), "", false)
	}
	argument, closed := strings.CutSuffix(strings.TrimSpace(argument), ")")
	if argument = strings.TrimSpace(argument); !closed {
		return permit.ParseRule(text) // says what is missing
	}
	switch kind {
	case permit.Shell:
		if start, open := strings.CutSuffix(argument, " *"); open {
			argument = start + ":*"
		}
	case permit.URL:
		argument = strings.TrimPrefix(argument, "domain:")
	}
	if argument == "*" {
		return permit.NewRule(string(kind), "", false)
	}
	return permit.ParseRule(string(kind) + "(" + argument + ")")
}
