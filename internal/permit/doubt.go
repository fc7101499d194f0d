package permit

import (
	"path"
	"slices"
	"strings"
)

// doubted returns the decision about a command that no deny rule matches, if one may match.
// A doubt that a sandbox does not settle comes first. named are all paths of the command.
func (r Rules) doubted(c Command, named []Path) (Decision, bool) {
	outside := Decision{}
	for _, rule := range r.Deny {
		why, settled := r.mayForbid(rule, c, named)
		switch {
		case why == "" || settled && r.Sandboxed:
		case !settled:
			return doubt(rule, why), true
		case !outside.Doubt:
			outside = doubt(rule, why)
			outside.DoubtOutside = true
		}
	}
	return outside, outside.Doubt
}

// doubt is the decision if it is not clear whether a deny rule matches.
func doubt(rule Rule, why string) Decision {
	return Decision{Why: "it is not clear whether " + rule.withSource() + " denies it: " + why, Doubt: true}
}

// mayForbid returns why a deny rule that does not match a command may match all the same, ""
// if it cannot. settled means that a sandbox enforces the rule, so that there is no doubt in
// one. It enforces rules that name a path or a host. It cannot enforce read, because a command
// that reads nothing at all does not start, and it does not know which programs run.
func (r Rules) mayForbid(rule Rule, c Command, named []Path) (why string, settled bool) {
	switch rule.Kind {
	case Shell:
		if c.Hidden || c.Unclear != "" && sameProgram(rule.Argument, c) {
			return c.Unclear, false
		}
		return "", false
	case Read, Write:
		return r.mayOpen(rule, c, named), rule.Argument != ""
	case URL:
		return mayConnect(c), true
	}
	return "", false
}

// sameProgram reports whether a command runs the program of a rule that names further words,
// so that an argument that is not known may be one of them.
func sameProgram(argument string, c Command) bool {
	words := strings.Fields(strings.TrimSuffix(argument, ":*"))
	return len(words) > 1 && slices.ContainsFunc(slices.Concat(c.Programs, c.Besides), func(p Program) bool {
		return len(p.Words) > 0 && strings.EqualFold(path.Base(words[0]), path.Base(p.Words[0]))
	})
}

// mayConnect returns why a command may connect to an address that it does not name.
func mayConnect(c Command) string {
	if c.Unclear != "" {
		return c.Unclear
	}
	for _, p := range c.Programs {
		if !p.Offline {
			return p.Name + " may connect to addresses that the command does not name"
		}
	}
	return ""
}

// mayOpen returns why a command may read or write what a rule denies.
func (r Rules) mayOpen(rule Rule, c Command, named []Path) string {
	denied := r.elements(rule.Argument)
	if c.Unclear != "" {
		return c.Unclear
	}
	for _, p := range named {
		if leadsToFolders(p.Name) {
			return "where " + p.Name + " leads depends on the process that opens it"
		}
		if rule.Argument != "" && isPattern(p.Name) && mayMatch(strings.ToLower(p.Name), denied, false) {
			return "a pattern in it may match a denied path"
		}
	}
	for _, p := range c.Programs {
		switch {
		case rule.Kind == Write && p.ReadOnly:
		case rule.Argument == "" && (rule.Kind == Write || p.Opens != Nothing):
			return p.Name + " may " + string(rule.Kind) + " files"
		case rule.Argument == "":
		case p.Opens == Anything:
			return p.Name + " may open files that the command does not name"
		default:
			for _, dir := range p.Below {
				if mayMatch(strings.ToLower(dir.Name), denied, true) || mayMatch(strings.ToLower(dir.Real), denied, true) {
					return p.Name + " opens what is below " + dir.Name
				}
			}
		}
	}
	return ""
}

// elements returns the elements of a rule's pattern as an absolute path in lower case.
func (r Rules) elements(pattern string) []string {
	return elementsOf(strings.TrimSuffix(r.absolute(pattern), "/**"))
}

// absolute returns a pattern of a rule as an absolute one.
func (r Rules) absolute(pattern string) string {
	if pattern = strings.TrimSuffix(pattern, "/"); path.IsAbs(pattern) {
		return pattern
	}
	return path.Join(Literal(r.Folders.Primary), pattern)
}

func elementsOf(name string) []string { return strings.Split(strings.ToLower(name), "/") }

// leadsToFolders reports whether a path goes through a link of a process to its folders and
// open files, which may lead elsewhere for the command. Source: man proc_pid_cwd, proc_pid_root.
func leadsToFolders(name string) bool {
	rest, ok := strings.CutPrefix(name, "/proc/")
	return strings.HasPrefix(name, "/dev/fd/") || ok && slices.ContainsFunc(strings.Split(rest, "/"), func(e string) bool {
		return e == "cwd" || e == "root" || e == "fd" || e == "map_files" || isPattern(e)
	})
}

func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// mayMatch reports whether a path, which may hold patterns of the shell, can be a denied path
// or below one. With below set, it may also be a folder that holds one.
func mayMatch(name string, denied []string, below bool) bool {
	star, again, at := -1, 0, 0
	for i := 0; i < len(denied); {
		e, next := elementAt(name, at)
		switch {
		case denied[i] == "**" && below:
			return true // it stands for the whole rest of the path
		case denied[i] == "**":
			star, again = i, at
			i++
		case at > len(name):
			return below
		case mayBe(e, denied[i]):
			at = next
			i++
		case star >= 0:
			_, again = elementAt(name, again)
			i, at = star+1, again
		default:
			return false
		}
	}
	return true
}

// mayBe reports whether an element of a path, which may be a pattern of the shell, can be an
// element of a rule.
func mayBe(e, denied string) bool {
	if element(denied, e) {
		return true
	}
	if !isPattern(e) && !strings.Contains(e, `\`) {
		return e == strings.ReplaceAll(denied, `\`, "")
	}
	plain := strings.ReplaceAll(denied, `\`, "")
	matches, err := path.Match(e, plain)
	return matches || err != nil || isPattern(e) && strings.ContainsAny(denied, "*?")
}
