package permit

import "slices"

// Missing is what has to be added to rules before they allow a request.
type Missing struct {
	// Rules are the allow rules that are missing, in the order in which they were found
	// to be. Each can be parsed by [ParseRule].
	Rules []Rule
	// Folders are the folders that the rules have to reach besides those they reach now.
	Folders []string
	// Why is set if no rule and no folder can help: the reason, in words for the user.
	// Then Rules and Folders are empty.
	Why string
	// OnlyUser means that not even [Rules.All] would allow the request.
	OnlyUser bool
}

// mostMissing bounds the rules and folders of one [Missing]. A command that needs more is
// not allowed rule by rule.
const mostMissing = 12

// Missing returns which allow rules and folders would allow a request that these rules ask
// about or deny. The result is proven: with it, [Rules.Decide] allows the request. folderOf
// returns an existing folder that holds a path, "" if there is none. For a request that is
// allowed already, the result is empty.
func (r Rules) Missing(q Request, folderOf func(path string) string) Missing {
	if all := r.withAll().Decide(q); all.Verdict != Allow {
		return Missing{Why: all.Why, OnlyUser: true}
	}
	var m Missing
	for range mostMissing {
		d := r.Decide(q)
		if d.Verdict == Allow {
			return m
		}
		switch rule, folder := r.next(q, folderOf); {
		case rule.Kind != "" && !slices.ContainsFunc(r.Allow, rule.Same):
			m.Rules = append(m.Rules, rule)
			r = r.With(rule)
		case folder != "" && !slices.Contains(r.Folders.More, folder):
			m.Folders = append(m.Folders, folder)
			r.Folders.More = append(slices.Clip(r.Folders.More), folder)
		default:
			return Missing{Why: d.Why}
		}
	}
	return Missing{Why: "it would need more than a dozen rules"}
}

func (r Rules) withAll() Rules {
	r.All = true
	return r
}

// next returns the first rule or folder that a request still needs; neither if none helps.
func (r Rules) next(q Request, folderOf func(path string) string) (rule Rule, folder string) {
	switch q.Kind {
	case Shell:
		return r.nextOfCommand(q.Command, folderOf)
	case Read, Write:
		if covering := r.Covering(q); len(covering) > 0 {
			return parsable(covering[0]), ""
		}
	case URL:
		return addressRuleFor(q.Address), ""
	case CustomTool:
		return parsable(Rule{Kind: CustomTool, Argument: q.Tool}), ""
	case MCP:
		return parsable(ServerRule(q.Server, q.ServerTool)), ""
	}
	return Rule{}, ""
}

// nextOfCommand follows the steps of [Rules.shell] and returns what the first that asks
// needs.
func (r Rules) nextOfCommand(c Command, folderOf func(path string) string) (rule Rule, folder string) {
	if c.Unclear != "" || len(c.Programs) == 0 {
		return Rule{}, ""
	}
	if outsiders := r.outsidePaths(c); len(outsiders) > 0 {
		if outsiders[0].Real == "" {
			return Rule{}, ""
		}
		return Rule{}, folderOf(outsiders[0].Real)
	}
	for _, p := range c.Paths {
		if c.Redirects && r.file(Write, p).Verdict != Allow {
			return Rule{Kind: Write}, ""
		}
	}
	for _, u := range c.URLs {
		if r.address(u).Verdict != Allow {
			return addressRuleFor(u), ""
		}
	}
	for _, p := range c.Programs {
		if p.ReadOnly && r.ReadOnly {
			continue
		}
		switch by, ok := r.runs(p); {
		case !ok:
			return r.programRule(c, p), ""
		case by.Argument != "" && r.otherProgram(c, p):
			return Rule{Kind: Shell}, ""
		}
	}
	return Rule{}, ""
}

// programRule returns the narrowest rule for a program with any arguments that holds where
// the command runs.
func (r Rules) programRule(c Command, p Program) Rule {
	rule := parsable(Rule{Kind: Shell, Argument: p.Name + ":*"})
	if rule.Kind == "" || r.otherProgram(c, p) || !covers(rule.Argument, p) {
		return Rule{Kind: Shell}
	}
	return rule
}

// addressRuleFor returns the rule for the host of an address, or for every address if the
// address has no host that a rule can name.
func addressRuleFor(address string) Rule {
	if rule, ok := hostRule(address); ok {
		if rule = parsable(rule); rule.Kind != "" {
			return rule
		}
	}
	return Rule{Kind: URL}
}

// parsable returns rule if the command line can write it, and otherwise the zero Rule.
func parsable(rule Rule) Rule {
	if read, err := ParseRule(rule.String()); err != nil || !read.Same(rule) {
		return Rule{}
	}
	return rule
}
