package permit

import (
	"cmp"
	"slices"
	"strings"
)

// Rules are all rules in force. The zero value asks about everything.
type Rules struct {
	// All allows everything that is not denied. AllBy is the setting that switched it
	// on, such as "--yolo".
	All   bool
	AllBy string
	// Deny and Allow are the rules in force. Their order does not matter.
	Deny  []Rule
	Allow []Rule
	// Ask names what the user decides each time, whatever allows it.
	Ask []Rule
	// Folders are the allowed folders: rules that name no path hold in them.
	Folders Folders
	// ReadsInside allows reading files in Folders.
	ReadsInside bool
	// ReadOnly allows clear commands that only run read-only programs within Folders.
	ReadOnly bool
	// Sandboxed means that the command would run in a sandbox that keeps
	// [Rules.DeniedPaths] from it and connects only where [Rules.Connect] allows.
	Sandboxed bool
	// AnyURL allows every address.
	AnyURL bool
	// Protected are further names of files from which programs start something by themselves,
	// each in the form of [ParseProtected].
	Protected []string
	// Brought are folders whose files start or grant something in this session, resolved: those of
	// its plugins and of the skills that a client names. Writing in them is protected as
	// [Rules.Protected] is.
	Brought []string
	// Linked are the files and folders, resolved, to which links lead in the places of files that
	// start or grant something; see [projectfiles.Linked]. They are protected as those are.
	Linked []string
	// State is the program's own folder, resolved, which has approvals, plugins and servers. It is
	// protected, too; no sandbox shows it. Empty: none.
	State string
	// Own is the session's own folder, resolved, which the session may read: it holds
	// long results. Empty: none.
	Own string
	// Plan is the file of the session's plan, resolved; writing it needs no approval.
	// Planning means that the session is in plan mode, where no other file is written.
	Plan     string
	Planning bool
}

// With returns the rules with further allow rules. The receiver is not changed.
func (r Rules) With(allowed ...Rule) Rules {
	r.Allow = append(slices.Clip(r.Allow), allowed...)
	return r
}

// Join returns both sets of rules: what either denies is denied, what either allows is
// allowed. Folders are those of r, with the folders of other added.
func (r Rules) Join(other Rules) Rules {
	if other.All && !r.All {
		r.All, r.AllBy = true, other.AllBy
	}
	r.Deny = append(slices.Clip(r.Deny), other.Deny...)
	r.Allow = append(slices.Clip(r.Allow), other.Allow...)
	r.Ask = append(slices.Clip(r.Ask), other.Ask...)
	r.Folders = r.Folders.Join(other.Folders)
	r.Protected = append(slices.Clip(r.Protected), other.Protected...)
	r.Linked = append(slices.Clip(r.Linked), other.Linked...)
	r.Brought, r.State = append(slices.Clip(r.Brought), other.Brought...), cmp.Or(r.State, other.State)
	r.ReadsInside = r.ReadsInside || other.ReadsInside
	r.ReadOnly = r.ReadOnly || other.ReadOnly
	r.AnyURL = r.AnyURL || other.AnyURL
	return r
}

// Decide returns the decision about a request.
func (r Rules) Decide(q Request) Decision {
	if d, decided := r.denied(q); decided {
		return d
	}
	if d, decided := r.mustAsk(q); decided {
		return d
	}
	if d, decided := r.own(q); decided {
		return d
	}
	switch {
	case q.Personal:
		return Decision{Why: "the user decides this each time", Doubt: true}
	case q.Trusted:
		return Decision{Verdict: Allow, Why: "its client has marked it as needing no permission"}
	case r.All:
		return r.everything()
	}
	switch q.Kind {
	case Shell:
		return r.shell(q.Command)
	case Read, Write:
		return r.file(q.Kind, q.Path)
	case URL:
		return r.address(q.Address)
	case MCP:
		for _, rule := range r.Allow {
			if rule.namesServerTool(q, q.OwnServer) {
				return allow(rule)
			}
		}
	case CustomTool:
		for _, rule := range r.Allow {
			if rule.Kind == CustomTool && (rule.Argument == "" || rule.Argument == q.Tool) {
				return allow(rule)
			}
		}
	}
	return ask("no rule covers it")
}

// everything is the decision if [Rules.All] is set.
func (r Rules) everything() Decision {
	by := r.AllBy
	if by == "" {
		by = "--yolo"
	}
	return Decision{Verdict: Allow, Why: "everything is allowed (" + by + ")"}
}

// InPlanMode is why plan mode denies a write, as the reason of the decision says it.
const InPlanMode = "the session is in plan mode"

// own decides about the session's own files and, in plan mode, about writing any other
// file.
func (r Rules) own(q Request) (Decision, bool) {
	real := q.Path.Real
	switch {
	case real == "" || q.Kind != Read && q.Kind != Write:
	case q.Kind == Write && real == r.Plan:
		return Decision{Verdict: Allow, Why: "it is the plan of the session"}, true
	case q.Kind == Write && r.Planning:
		return Decision{Verdict: Deny, Why: "denied because " + InPlanMode + ", where only " + r.Plan + " may be written"}, true
	case q.Kind == Read && r.Own != "" && (Folders{Primary: r.Own}).Contains(real):
		return Decision{Verdict: Allow, Why: "it is in the session's own folder"}, true
	}
	return Decision{}, false
}

func allow(by Rule) Decision {
	return Decision{Verdict: Allow, Why: "allowed by " + by.withSource(), Rule: by}
}

func ask(why string) Decision { return Decision{Why: why} }

// file decides about reading or writing a path.
func (r Rules) file(kind Kind, p Path) Decision {
	if rule, named := r.naming(kind, p); named {
		return allow(rule)
	}
	switch {
	case !r.Folders.Contains(p.Real):
		return Decision{Why: outside(p), Outside: []string{p.Name}}
	case kind == Write && r.runsPrograms(p):
		return ask(p.Name + " can make programs run by themselves")
	}
	for _, rule := range r.Allow {
		if rule.Kind == kind && rule.Argument == "" {
			return allow(rule)
		}
	}
	if kind == Read && r.ReadsInside {
		return Decision{Verdict: Allow, Why: "reading is allowed in " + r.Folders.Primary}
	}
	return ask("no rule covers it")
}

// naming returns an allow rule that names a path, which holds everywhere.
func (r Rules) naming(kind Kind, p Path) (Rule, bool) {
	for _, rule := range r.Allow {
		if rule.Kind == kind && rule.Argument != "" && r.Folders.matches(rule.Argument, p.Real) && (strings.HasPrefix(rule.Argument, "/") || !r.Folders.barred()) {
			return rule, true
		}
	}
	return Rule{}, false
}

// outside is the reason to ask about a path outside the allowed folders.
func outside(p Path) string {
	if p.Real != p.Name && p.Real != "" {
		return p.Name + " leads to " + p.Real + ", outside the allowed folders"
	}
	return p.Name + " is outside the allowed folders"
}

// Covering returns the rules that an approval beyond one call allows if the answer names
// none: the same programs, the same kind of file access, the same host, the same tool.
// For a path outside the allowed folders it is that path only. It returns nothing if the
// call can be approved only once, such as an unclear command.
func (r Rules) Covering(q Request) []Rule {
	if q.Personal {
		return nil
	}
	switch q.Kind {
	case Shell:
		if q.Command.Unclear != "" || len(r.outsidePaths(q.Command)) > 0 {
			return nil
		}
		var rules []Rule
		for _, p := range q.Command.Programs {
			if r.otherProgram(q.Command, p) {
				return nil
			}
			rule := parsable(Rule{Kind: Shell, Argument: p.Name})
			if rule.Kind == "" { // no rule can name the program
				return nil
			}
			if !slices.ContainsFunc(rules, rule.Same) {
				rules = append(rules, rule)
			}
		}
		return rules
	case Read, Write:
		if q.Path.Real == "" {
			return nil
		}
		if !r.Folders.Contains(q.Path.Real) || q.Kind == Write && r.runsPrograms(q.Path) {
			return []Rule{{Kind: q.Kind, Argument: Literal(q.Path.Real)}}
		}
		return []Rule{{Kind: q.Kind}}
	case URL:
		if rule, ok := hostRule(q.Address); ok {
			return []Rule{rule}
		}
	case CustomTool:
		return []Rule{{Kind: CustomTool, Argument: q.Tool}}
	case MCP:
		return []Rule{ServerRule(q.Server, q.ServerTool)}
	}
	return nil
}
