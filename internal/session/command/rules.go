package command

import "github.com/sidestick-dev/sidestick/internal/permit"

// Rule is a permission rule for a list. Its texts are raw: pass them
// through [timeline.Harmless] before printing.
type Rule struct {
	Verdict Verdict
	What    string // what it covers
	From    string // where it comes from; "" for what comes with the program
}

// Verdict is what a rule decides.
type Verdict string

// The verdicts, and what is no verdict.
const (
	In      Verdict = "in"      // a folder that tools may use
	Allow   Verdict = "allow"   // nobody is asked
	Deny    Verdict = "deny"    // it is not done
	Outside Verdict = "outside" // a command runs outside the sandbox, if it is allowed
)

// Rules lists the rules in force: folders, what is allowed, what is denied, and what runs outside the
// sandbox.
func Rules(r permit.Rules, s permit.Sandboxing) (list []Rule) {
	add := func(v Verdict, what, from string) { list = append(list, Rule{v, what, from}) }
	for _, dir := range r.Folders.All() {
		add(In, dir, "")
	}
	if r.Folders.Anywhere {
		add(In, "every other folder", "--allow-all-paths")
	}
	if r.ReadsInside {
		add(Allow, "reading files in these folders", "")
	}
	if r.ReadOnly {
		add(Allow, "commands that only read", "")
	}
	if r.AnyURL {
		add(Allow, "every address", "")
	}
	for _, rule := range r.Allow {
		add(Allow, rule.String(), rule.From)
	}
	for _, rule := range r.Deny {
		add(Deny, rule.String(), rule.From)
	}
	if s.On {
		for _, rule := range s.Excluded {
			add(Outside, rule.String(), rule.From)
		}
	}
	return list
}

// Unruled says what holds for everything that no rule covers.
func Unruled(r permit.Rules, s permit.Sandboxing) string {
	const asked = "you are asked about everything that no rule allows"
	switch {
	case r.All:
		return "everything that is not denied is allowed (" + r.AllBy + ")"
	case s.On && s.AutoAllow && s.Workspace:
		return asked + ", except for commands that stay in the sandbox"
	}
	return asked
}
