package permit

import (
	"path"
	"slices"
	"strings"
)

// denied applies the deny rules. It decides if one matches, or if it is not clear whether
// one does.
func (r Rules) denied(q Request) (Decision, bool) {
	var addresses []string
	switch q.Kind {
	case URL:
		addresses = []string{q.Address}
	case Shell:
		addresses = q.Command.URLs
	}
	doubted := Decision{}
	for _, a := range addresses {
		d, decided := r.deniedEndpoint(endpointsOf(a))
		switch {
		case decided && d.Verdict == Deny:
			return d, true
		case decided:
			doubted = d
		}
	}
	named := r.named(q.Command)
	lower := lowered(named)
	for _, rule := range r.Deny {
		if r.forbids(rule, q, lower) {
			return Decision{Verdict: Deny, Why: "denied by " + rule.withSource(), Rule: rule}, true
		}
	}
	if doubted.Doubt {
		return doubted, true
	}
	if q.Kind != Shell {
		return Decision{}, false
	}
	return r.doubted(q.Command, named)
}

// named returns the paths of a command, and everything in it that may be a path: the further
// words, and all arguments of its programs.
func (r Rules) named(c Command) []Path {
	paths := slices.Concat(c.Paths, c.Words)
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

// lowered returns paths in lower case.
func lowered(paths []Path) []Path {
	lower := make([]Path, len(paths))
	for i, p := range paths {
		lower[i] = Path{Name: strings.ToLower(p.Name), Real: strings.ToLower(p.Real)}
	}
	return lower
}

// forbids reports whether a deny rule matches. In doubt it does: a program matches by the
// last element of its path, a path also by where it leads, and a subcommand also behind
// options that are not understood. named are the paths of a command, in lower case.
func (r Rules) forbids(rule Rule, q Request, named []Path) bool {
	if q.Kind == MCP && rule.namesServerTool(q, true) {
		return true
	}
	if rule.Kind == CustomTool {
		return rule.namesTool(q, true) || rule.Argument == "" && q.Kind == CustomTool
	}
	switch q.Kind {
	case Shell:
		return r.forbidsCommand(rule, q.Command, named)
	case Read, Write:
		return rule.Kind == q.Kind && r.touches(rule.Argument, q.Path)
	}
	return false
}

func (r Rules) forbidsCommand(rule Rule, c Command, named []Path) bool {
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
		return slices.ContainsFunc(named, func(p Path) bool { return r.touches(rule.Argument, p) })
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
	below := strings.TrimSuffix(pattern, "/") + "/**" // which covers the folder itself, too
	covers := func(name string) bool {
		name = strings.ToLower(name)
		return lower.matches(below, name) || pattern == "." && lower.matches(pattern, name)
	}
	return covers(p.Name) || p.Real != p.Name && covers(p.Real)
}

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
