package session

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// policy is what clients set about permissions in a session that is open: a resume
// must bring it again. What was approved is in the history.
type policy struct {
	rules    permit.Rules  // all but its Places
	location string        // the key of the one whose approvals apply; "" if none does
	here     []permit.Rule // approved for that location
	primary  string        // in place of the working directory, resolved; "" for that
	folders  []string      // beside it, resolved
	anywhere bool
}

// rulesFor is every rule that is in force for a request.
func (s *Session) rulesFor(q permit.Request) permit.Rules {
	p := s.policy
	r := p.rules
	if q.Kind != permit.CustomTool { // which touches no files; where they are, the file system says
		r.Places = s.places()
	}
	if q.Kind == permit.Read || q.Kind == permit.Write {
		r.Own = s.reg.opts.Resolve(s.dir)
		r.Plan, r.Planning = filepath.Join(r.Own, filepath.Base(s.files.PlanPath())), s.state.ModeNow() == modePlan
	}
	r.Allow = slices.Concat(r.Allow, p.here, s.state.Approved, s.state.Rules())
	if q.Kind == permit.URL || len(q.Command.URLs) > 0 {
		r.Allow = append(r.Allow, s.reg.grants.addresses()...)
	}
	if s.state.PermissionMode == wire.ModeAllowAll {
		r.All, r.AllBy = true, "the session is in the mode allow-all"
	}
	return r.Join(s.reg.opts.Rules)
}

// places are the folders of the session.
func (s *Session) places() permit.Places {
	primary := s.policy.primary
	if primary == "" {
		primary = s.reg.opts.Resolve(filepath.Clean(s.state.Cwd))
	}
	return permit.Places{Primary: primary, More: s.policy.folders, Anywhere: s.policy.anywhere}
}

// allPlaces are its folders and those of the process.
func (s *Session) allPlaces() permit.Places { return s.places().Join(s.reg.opts.Rules.Places) }

// folders resolves folders that a client names; what leads nowhere is left out.
func (r *Registry) folders(names []string, cwd string) []string {
	dirs := []string{}
	for _, name := range names {
		if dir := r.leads(name, cwd); dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// leads is where a path leads that a client names.
func (r *Registry) leads(name, cwd string) string {
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return ""
	case !filepath.IsAbs(name):
		name = filepath.Join(cwd, name)
	}
	if !filepath.IsAbs(name) {
		return ""
	}
	return r.opts.Resolve(filepath.Clean(name))
}

// ApprovedRules reads rules of the protocol; what is no rule is left out.
func ApprovedRules(rules []wire.PermissionRule) []permit.Rule {
	return permit.FromWire(rules, "approved by a person")
}
