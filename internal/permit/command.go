package permit

import (
	"path"
	"slices"
	"strings"
)

// shell decides about a command: every part of it has to be allowed.
func (r Rules) shell(c Command) Decision {
	switch {
	case c.Unclear != "":
		return ask("it cannot be told what the command does: " + c.Unclear)
	case len(c.Programs) == 0:
		return ask("it cannot be told which programs the command runs")
	}
	if away := r.beyond(c); len(away) > 0 {
		d := Decision{Why: outside(away[0])}
		for _, p := range away {
			d.Outside = append(d.Outside, p.Name)
		}
		return d
	}
	readOnly := !c.Redirects && !slices.ContainsFunc(c.Programs, func(p Program) bool { return !p.ReadOnly })
	if readOnly && r.ReadOnly {
		return Decision{Verdict: Allow, Why: "it only reads, and only in the allowed folders"}
	}
	if d, decided := r.effects(c, readOnly); decided {
		return d
	}
	by := Rule{}
	for _, p := range c.Programs {
		if p.ReadOnly && r.ReadOnly {
			continue
		}
		rule, ok := r.runs(p)
		switch {
		case !ok:
			return ask("no rule covers " + p.Name)
		case rule.Argument != "" && r.wandering(c, p):
			return ask("a rule for " + p.Name + " is about " + r.Places.Primary + ", where the command does not run")
		}
		by = rule
	}
	if by.Kind == "" {
		return Decision{Verdict: Allow, Why: "it writes only where that is allowed"}
	}
	return allow(by)
}

// effects decides about what a command does beside running its programs: a rule for a
// program does not cover writing a file by redirection, files that act, or addresses.
func (r Rules) effects(c Command, readOnly bool) (Decision, bool) {
	if readOnly {
		return Decision{}, false
	}
	if c.Redirects && len(c.Paths) == 0 {
		return ask("it writes to a file, and it cannot be told which"), true
	}
	for _, p := range c.Paths {
		if r.acts(p) {
			return ask(p.Name + " can make programs run by themselves"), true
		}
		if !c.Redirects {
			continue
		}
		if d := r.file(Write, p); d.Verdict != Allow {
			return ask("it writes to a file, and no rule allows to write " + p.Name), true
		}
	}
	for _, u := range c.URLs {
		if d := r.address(u); d.Verdict != Allow {
			return ask("it names " + u + ", and no rule allows that address"), true
		}
	}
	return Decision{}, false
}

// beyond is what a command names outside the allowed folders.
func (r Rules) beyond(c Command) []Path {
	var away []Path
	for _, p := range c.Paths {
		if !r.Places.Contains(p.Real) {
			away = append(away, p)
		}
	}
	return away
}

// wandering reports whether a program is named by a path that begins in the current
// folder, and that is not the one that rules are about: another program has its name.
func (r Rules) wandering(c Command, p Program) bool {
	if !strings.Contains(p.Name, "/") || path.IsAbs(p.Name) {
		return false
	}
	return c.Dir != "" && c.Dir != r.Places.Primary || slices.ContainsFunc(c.Programs, func(p Program) bool { return p.Name == "cd" })
}

// runs returns the rule that allows a program.
func (r Rules) runs(p Program) (Rule, bool) {
	for _, rule := range r.Allow {
		if rule.Kind == Shell && (rule.Argument == "" || covers(rule.Argument, p)) {
			return rule, true
		}
	}
	return Rule{}, false
}

// covers reports whether a rule's argument allows a program: its name, the beginning
// of its name or of its words up to a word's end, or the very words.
func covers(argument string, p Program) bool {
	prefix, any := strings.CutSuffix(argument, ":*")
	if !any {
		return argument == p.Name || argument == strings.Join(p.Words, " ")
	}
	words := strings.Fields(prefix)
	return len(words) > 0 && (beginsWith(strings.Fields(p.Name), words) || beginsWith(p.Words, words))
}
