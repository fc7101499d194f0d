package permit

import (
	"path"
	"slices"
	"strings"
)

// shell decides about a command. Every part of it has to be allowed.
func (r Rules) shell(c Command) Decision {
	switch {
	case c.Unclear != "":
		return ask("it is not clear what the command does: " + c.Unclear)
	case len(c.Programs) == 0:
		return ask("it is not clear which programs the command runs")
	}
	if outsiders := r.outsidePaths(c); len(outsiders) > 0 {
		d := Decision{Why: outside(outsiders[0])}
		for _, p := range outsiders {
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
		case rule.Argument != "" && r.otherProgram(c, p):
			return ask("a rule for " + p.Name + " holds only in " + r.Folders.Primary + ", and the command runs elsewhere")
		}
		by = rule
	}
	if by.Kind == "" {
		return Decision{Verdict: Allow, Why: "it writes only where that is allowed"}
	}
	return allow(by)
}

// effects decides about the effects of a command other than running its programs. A rule for a
// program does not cover writing a file by redirection, files that make programs run, or
// addresses.
func (r Rules) effects(c Command, readOnly bool) (Decision, bool) {
	if readOnly {
		return Decision{}, false
	}
	if c.Redirects && len(c.Paths) == 0 {
		return ask("it writes to a file, and it is not clear which"), true
	}
	for _, p := range slices.Concat(c.Paths, c.Words) {
		if r.runsPrograms(p) {
			return ask(p.Name + " can make programs run by themselves"), true
		}
	}
	for _, p := range c.Paths {
		if !c.Redirects {
			continue
		}
		if d := r.file(Write, p); d.Verdict != Allow {
			return ask("it writes to a file, and no rule allows writing " + p.Name), true
		}
	}
	for _, u := range c.URLs {
		if d := r.address(u); d.Verdict != Allow {
			return ask("it names " + u + ", and no rule allows that address"), true
		}
	}
	return Decision{}, false
}

// outsidePaths returns the paths of a command that are outside the allowed folders.
func (r Rules) outsidePaths(c Command) []Path {
	var outsiders []Path
	if r.Folders.barred() { // a command uses the folder that it runs in, whatever it names
		outsiders = append(outsiders, Path{Name: r.Folders.Primary, Real: r.Folders.Primary})
	}
	for _, p := range c.Paths {
		if !r.Folders.Contains(p.Real) {
			outsiders = append(outsiders, p)
		}
	}
	return outsiders
}

// otherProgram reports whether a program is named by a path relative to the current
// folder, and that is not the primary folder, for which rules hold: then another program
// has its name.
func (r Rules) otherProgram(c Command, p Program) bool {
	if !strings.Contains(p.Name, "/") || path.IsAbs(p.Name) {
		return false
	}
	return c.Dir != "" && c.Dir != r.Folders.Primary || slices.ContainsFunc(c.Programs, func(p Program) bool { return p.Name == "cd" })
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

// covers reports whether a rule's argument allows a program. The argument is the
// program's name, the first words of its name or command line, or the whole command line.
func covers(argument string, p Program) bool {
	prefix, any := strings.CutSuffix(argument, ":*")
	if !any {
		return argument == p.Name || argument == strings.Join(p.Words, " ")
	}
	words := strings.Fields(prefix)
	return len(words) > 0 && (beginsWith(strings.Fields(p.Name), words) || beginsWith(p.Words, words))
}
