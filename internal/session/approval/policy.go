package approval

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// policy holds the rules of one session and decides on requests by them. It reads no files
// and asks no client. The settings of clients are only in memory: a client that resumes the
// session from disk must set them again. A policy belongs to the session's goroutine.
type policy struct {
	program *permit.Rules // rules that the program was started with, shared by all sessions
	plan    string        // name of the plan in the session's own folder
	// recorded is the state of the session. The policy reads from it what is in the log: the
	// permission mode and the approvals for the session.
	recorded *state.State
	// vouched has the grants that count of those that are recorded.
	vouched *vouched
	// elsewhere is that of [Options].
	elsewhere func(model string) string

	client   permit.Rules  // rules that clients have set, without Folders
	location string        // key of the location whose approvals apply; "" for none
	approved []permit.Rule // approvals for that location
	seen     definitions   // the definitions of tools that they hold for
	primary  string        // the primary folder, resolved; "" for the working directory
	further  []string      // further allowed folders, resolved
	anywhere bool          // every folder is allowed
	allowAll bool          // a client has set the mode allow-all in this process

	managed permit.Managed // the policy that clients have injected

	sandbox   SandboxSettings
	autoAllow *bool // the user's choice for commands that stay in the sandbox; nil: that of sandbox
	disabled  bool  // the user has switched the sandbox off
	warned    bool  // the user knows how well the sandbox works
	decided   bool  // the log says how well it works
	// refusedOutside are the texts of commands that the user did not allow to run outside after they
	// had failed in the sandbox.
	refusedOutside map[string]bool
}

// newPolicy returns a policy without settings of clients.
func newPolicy(program *permit.Rules, plan string, recorded *state.State, v *vouched) *policy {
	return &policy{program: program, plan: plan, recorded: recorded, vouched: v}
}

// inForce returns all rules in force for a request.
func (p *policy) inForce(d disk, q *permit.Request) permit.Rules {
	r := p.client
	if q.Kind != permit.CustomTool && q.Kind != permit.MCP {
		r.Folders, r.Brought, r.Linked = p.folders(d), d.brought, d.linked
	}
	if q.Kind == permit.Read || q.Kind == permit.Write {
		r.Own = d.own
		r.Plan, r.Planning = filepath.Join(r.Own, p.plan), p.recorded.ModeNow() == "plan"
	}
	r.Allow = slices.Concat(r.Allow, p.seen.holding(p.approved, q), p.vouched.now.Tools.holding(p.approvals(), q), p.vouched.now.skillRules(p.recorded.SkillRules))
	if q.Kind == permit.URL || q.Kind == permit.Shell {
		r.Allow = append(r.Allow, d.addresses...)
	}
	r.Allow = slices.Concat(r.Allow, d.project.Rules.Allow)
	r.Deny = slices.Concat(r.Deny, p.sandbox.Denies, d.project.Rules.Deny)
	r.Ask = slices.Concat(r.Ask, d.project.Rules.Ask)
	if p.inAllowAll() {
		r.All, r.AllBy = true, "the session is in the mode allow-all"
	}
	return r.Join(*p.program).Under(p.managed)
}

// folders returns the folders of the session.
func (p *policy) folders(d disk) permit.Folders {
	primary, unchosen := p.primary, false
	if primary == "" {
		primary, unchosen = d.primary, !p.startsIn(d)
	}
	return permit.Folders{Primary: primary, Unchosen: unchosen, More: slices.Concat(p.further, d.project.Rules.Folders.More), Anywhere: p.anywhere}
}

// startsIn reports whether the working directory of the session is allowed because somebody
// has chosen it on this machine: a client, or the user who started the program in it or above
// it. A log alone can name any folder.
func (p *policy) startsIn(d disk) bool {
	return slices.Contains(p.vouched.now.Folders, d.cwd) || d.started != "" && permit.Folders{Primary: d.started}.Contains(d.primary)
}

// approvals returns the approvals for the session that count.
func (p *policy) approvals() []permit.Rule { return p.vouched.now.approvals(p.recorded.Approved) }

// inAllowAll reports whether the mode allow-all is in force. It is recorded, but counts only
// in the process in which a client has set it.
func (p *policy) inAllowAll() bool {
	return p.allowAll && p.recorded.PermissionMode == wire.ModeAllowAll
}

// allFolders returns the folders of the session and those of the process.
func (p *policy) allFolders(d disk) permit.Folders {
	f := p.folders(d).Join(p.program.Folders)
	f.Anywhere = f.Anywhere && !p.managed.NoBypass
	return f
}

// ruling is what the rules decide on a request, where a command runs, and the rules
// themselves.
type ruling struct {
	permit.Placed
	rules   permit.Rules
	sandbox *sandbox.Policy // of the sandbox in which a command runs; nil: outside
	// sandboxing is what it was decided with.
	sandboxing permit.Sandboxing
	// changed says why an earlier approval of a tool does not hold for it any more.
	changed string
}

// decide applies the rules, and notes in a request to read what they withhold. The first
// result is nil if the user has to decide; the ruling says why.
func (p *policy) decide(d disk, q *permit.Request) (*permit.Answer, *ruling) {
	rules, s := p.inForce(d, q), p.sandboxing(d)
	r := &ruling{Placed: rules.DecideIn(s, *q), rules: s.Limit(rules), sandboxing: s}
	r.sandbox = p.confine(r)
	if q.Kind == permit.Read {
		q.Denied = r.rules.Withheld()
	}
	switch r.Verdict {
	case permit.Allow:
		return &permit.Answer{Outcome: permit.Approved, Why: r.Why}, r
	case permit.Deny:
		a := &permit.Answer{Outcome: permit.Forbidden, Why: r.Why}
		if r.Rule.Kind != "" {
			a.Rules = []permit.Rule{r.Rule}
		}
		return a, r
	}
	if d.project.Refuses && !q.Personal {
		return &permit.Answer{Outcome: permit.Forbidden, Why: "denied because " + r.Why + ", and the settings of the project say that nobody is asked (dontAsk)"}, r
	}
	r.changed = cmp.Or(p.vouched.now.Tools.changed(p.approvals(), q), p.seen.changed(p.approved, q))
	return nil, r
}

// event returns the event that asks the clients for a permission on which the policy ruled.
func (r *ruling) event(id string, q *permit.Request, c *tool.Call) *wire.PermissionRequested {
	beyond := len(r.rules.Covering(*q)) > 0 && len(r.Outside) == 0 && !r.Doubt && !r.AsksOutside && q.Bypass == ""
	e := newEvent(id, q, c, &r.Placed, beyond)
	if c.Replayed != nil { // a recording decides at once, so clients have nothing to do
		e.ResolvedByHook = new(true)
	}
	return e
}

// covering returns the rules that an approval of q for more than one call adds, none if q
// can be approved only once.
func (p *policy) covering(d disk, q *permit.Request) []permit.Rule {
	return sameScheme(p.sandboxing(d).Limit(p.inForce(d, q)).Covering(*q), q.Address)
}

// complete adds to an approval of q for more than one call the rules that it allows. If only
// the user may decide the request each time, the approval is limited to this call.
func (p *policy) complete(d disk, q *permit.Request, a permit.Answer) permit.Answer {
	switch {
	case q.Personal:
		return permit.Answer{Outcome: permit.Approved}
	case a.Rules == nil:
		a.Rules = p.covering(d, q)
	default:
		a.Rules = sameScheme(a.Rules, q.Address)
	}
	return a
}

// decidesMore reports whether an answer decides more than its request.
func decidesMore(a permit.Answer) bool { return addsRules(a) || a.InSandbox }

// addsRules reports whether an answer adds rules.
func addsRules(a permit.Answer) bool { return a.Outcome == permit.Approved && a.Scope != permit.Once }

// sameScheme makes an approval of a bare host cover the requested address.
func sameScheme(rules []permit.Rule, address string) []permit.Rule {
	const plain = "http://"
	rules = slices.Clone(rules)
	for i, r := range rules {
		if len(address) > len(plain) && address[:len(plain)] == plain && r.Kind == permit.URL && !slices.Contains([]byte(r.Argument), ':') {
			rules[i].Argument = plain + r.Argument
		}
	}
	return rules
}

// withHook combines the decision of the rules with that of a preToolUse hook. It returns nil
// if the user has to decide. A hook cannot allow a call that is, or may be, denied.
func withHook(hook string, decided *permit.Answer, d *permit.Decision) *permit.Answer {
	switch {
	case hook == "allow" && decided == nil && !d.Doubt:
		return &permit.Answer{Outcome: permit.Approved}
	case hook == "ask" && decided != nil && decided.Outcome == permit.Approved:
		return nil
	}
	return decided
}
