package approval

import (
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// policy has the settings of clients about permissions. They are only in memory: a resume
// from disk must set them again. Approvals and the mode are in the log.
type policy struct {
	rules    permit.Rules  // without Folders
	location string        // key of the location whose approvals apply; "" for none
	approved []permit.Rule // approvals for that location
	primary  string        // the primary folder, resolved; "" for the working directory
	folders  []string      // further folders, resolved
	anywhere bool
}

// disk holds what the rules need to know about files: resolved folders and saved approvals.
type disk struct {
	cwd       string        // working directory at the time of reading
	primary   string        // primary folder, resolved; "" if that failed
	own       string        // the session's own folder, resolved
	addresses []permit.Rule // approvals for always
}

// want says which parts of [disk] to read.
type want struct{ primary, own, addresses bool }

var everything = want{primary: true, own: true, addresses: true}

// wantFor returns the fields of [disk] that the rules need for a request.
func wantFor(q permit.Request) want {
	return want{
		primary:   q.Kind != permit.CustomTool, // a custom tool touches no files that are known here
		own:       q.Kind == permit.Read || q.Kind == permit.Write,
		addresses: q.Kind == permit.URL || len(q.Command.URLs) > 0,
	}
}

// read reads files on the caller's goroutine. A grants file that cannot be read allows
// nothing.
func (p *Permissions) read(w want) disk {
	d := disk{cwd: p.session.Cwd()}
	if w.primary {
		d.primary = p.opts.Paths.Resolve(filepath.Clean(d.cwd))
	}
	if w.own {
		d.own = p.opts.Paths.Resolve(p.opts.Dir)
	}
	if w.addresses {
		d.addresses = p.opts.Grants.addresses()
	}
	return d
}

// rules returns all rules in force for a request.
func (p *Permissions) rules(d disk, q permit.Request) permit.Rules {
	s := p.session.State()
	r := p.policy.rules
	if q.Kind != permit.CustomTool {
		r.Folders = p.folders(d)
	}
	if q.Kind == permit.Read || q.Kind == permit.Write {
		r.Own = d.own
		r.Plan, r.Planning = filepath.Join(r.Own, p.opts.Plan), s.ModeNow() == "plan"
	}
	r.Allow = slices.Concat(r.Allow, p.policy.approved, s.Approved, s.Rules())
	if q.Kind == permit.URL || len(q.Command.URLs) > 0 {
		r.Allow = append(r.Allow, d.addresses...)
	}
	if s.PermissionMode == wire.ModeAllowAll {
		r.All, r.AllBy = true, "the session is in the mode allow-all"
	}
	return r.Join(p.opts.Rules)
}

// folders are the folders of the session.
func (p *Permissions) folders(d disk) permit.Folders {
	primary := p.policy.primary
	if primary == "" {
		primary = d.primary
	}
	return permit.Folders{Primary: primary, More: p.policy.folders, Anywhere: p.policy.anywhere}
}

// allFolders returns the folders of the session and those of the process.
func (p *Permissions) allFolders(d disk) permit.Folders {
	return p.folders(d).Join(p.opts.Rules.Folders)
}

// decide applies the rules. The first result is nil if the user has to decide; the decision
// says why.
func (p *Permissions) decide(d disk, q permit.Request) (*permit.Answer, permit.Decision) {
	decision := p.rules(d, q).Decide(q)
	switch decision.Verdict {
	case permit.Allow:
		return &permit.Answer{Outcome: permit.Approved, Why: decision.Why}, decision
	case permit.Deny:
		a := &permit.Answer{Outcome: permit.Forbidden, Why: decision.Why}
		if decision.Rule.Kind != "" {
			a.Rules = []permit.Rule{decision.Rule}
		}
		return a, decision
	}
	return nil, decision
}

// withHook combines the decision of the rules with that of a preToolUse hook. It returns nil
// if the user has to decide. A hook cannot allow a call that is, or may be, denied.
func withHook(hook string, decided *permit.Answer, d permit.Decision) *permit.Answer {
	switch {
	case hook == "allow" && decided == nil && !d.Doubt:
		return &permit.Answer{Outcome: permit.Approved}
	case hook == "ask" && decided != nil && decided.Outcome == permit.Approved:
		return nil
	}
	return decided
}
