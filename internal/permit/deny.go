package permit

import (
	"path"
	"slices"
	"strings"
)

// denied applies the deny rules. It decides if one matches, or if it is not clear whether
// one does.
func (r Rules) denied(q Request) (Decision, bool) {
	for _, rule := range r.Deny {
		if r.forbids(rule, q) {
			return Decision{Verdict: Deny, Why: "denied by " + rule.withSource(), Rule: rule}, true
		}
	}
	if q.Kind == URL {
		return r.deniedEndpoint(endpointsOf(q.Address))
	}
	if q.Kind != Shell {
		return Decision{}, false
	}
	for _, u := range q.Command.URLs {
		if d, decided := r.deniedEndpoint(endpointsOf(u)); decided {
			return d, true
		}
	}
	for _, rule := range r.Deny {
		switch {
		case rule.Kind == Shell && q.Command.Hidden:
			return doubt(rule, q.Command.Unclear), true
		case (rule.Kind == Read || rule.Kind == Write) && rule.Argument != "" && r.mayTouch(rule.Argument, q.Command):
			return doubt(rule, "a pattern in it may match a denied path"), true
		}
	}
	return Decision{}, false
}

// doubt is the decision if it is not clear whether a deny rule matches.
func doubt(rule Rule, why string) Decision {
	return Decision{Why: "it is not clear whether " + rule.withSource() + " denies it: " + why, Doubt: true}
}

// named returns the paths of a command and all arguments of its programs, each of which
// may be a path.
func (r Rules) named(c Command) []Path {
	paths := slices.Clone(c.Paths)
	for _, p := range c.Programs {
		for _, w := range p.Words[min(1, len(p.Words)):] {
			if !path.IsAbs(w) {
				w = path.Join(r.Folders.Primary, w)
			}
			paths = append(paths, Path{Name: w, Real: w})
		}
	}
	return paths
}

// mayTouch reports whether a pattern in a command can match a path that a rule denies.
func (r Rules) mayTouch(denied string, c Command) bool {
	if !path.IsAbs(denied) {
		denied = path.Join(r.Folders.Primary, denied)
	}
	rule := strings.Split(strings.ToLower(strings.TrimSuffix(denied, "/**")), "/")
	for _, p := range r.named(c) {
		if !strings.ContainsAny(p.Name, "*?[") {
			continue
		}
		match := true
		for i, e := range strings.Split(strings.ToLower(p.Name), "/") {
			if i < len(rule) && match && rule[i] != "**" {
				one, _ := path.Match(e, rule[i])
				other, _ := path.Match(rule[i], e)
				match = one || other || strings.ContainsAny(e, "*?[") && strings.ContainsAny(rule[i], "*?[")
			}
		}
		if match && strings.Count(p.Name, "/")+1 >= len(rule) {
			return true
		}
	}
	return false
}

// forbids reports whether a deny rule matches. In doubt it does: a program matches by the
// last element of its path, a path also by where it leads, and a subcommand also behind
// options that are not understood.
func (r Rules) forbids(rule Rule, q Request) bool {
	if rule.Kind == CustomTool {
		return rule.Argument == q.Tool || rule.Argument == "" && q.Kind == CustomTool
	}
	switch q.Kind {
	case Shell:
		return r.forbidsCommand(rule, q.Command)
	case Read, Write:
		return rule.Kind == q.Kind && r.touches(rule.Argument, q.Path)
	}
	return false
}

func (r Rules) forbidsCommand(rule Rule, c Command) bool {
	switch rule.Kind {
	case Shell:
		if rule.Argument == "" {
			return true
		}
		for _, p := range slices.Concat(c.Programs, c.Besides) {
			if forbidsProgram(rule.Argument, p) {
				return true
			}
		}
	case Read, Write:
		// Which paths are only read is not known, so naming one is enough.
		if rule.Argument == "" {
			return rule.Kind == Write && c.Redirects
		}
		for _, p := range r.named(c) {
			if r.touches(rule.Argument, p) {
				return true
			}
		}
	}
	return false
}

func forbidsProgram(argument string, p Program) bool {
	rule := strings.Fields(strings.TrimSuffix(argument, ":*"))
	name := strings.Fields(p.Name)
	if len(rule) == 0 || len(name) == 0 || !strings.EqualFold(path.Base(rule[0]), path.Base(name[0])) {
		return false
	}
	if beginsWith(name[1:], rule[1:]) || len(p.Words) > 0 && beginsWith(p.Words[1:], rule[1:]) {
		return true
	}
	if !beginsWith(rule[1:], name[1:]) {
		return false // another subcommand
	}
	rest := rule[len(name):] // they may stand anywhere after the program and its subcommand
	for _, w := range p.Words {
		if len(rest) > 0 && w == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

func beginsWith(words, prefix []string) bool {
	if len(words) < len(prefix) {
		return false
	}
	for i, w := range prefix {
		if words[i] != w {
			return false
		}
	}
	return true
}

// touches reports whether a pattern covers a path by its name or by where it leads. Case
// is ignored, because some file systems ignore it.
func (r Rules) touches(pattern string, p Path) bool {
	if pattern == "" {
		return true
	}
	pattern = strings.ToLower(pattern)
	lower := Folders{Primary: strings.ToLower(r.Folders.Primary)}
	for _, name := range []string{p.Name, p.Real} {
		name = strings.ToLower(name)
		if lower.matches(pattern, name) || lower.matches(strings.TrimSuffix(pattern, "/")+"/**", name) {
			return true
		}
	}
	return false
}
