package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sessionGrants is what this machine has granted to one session. The log of the session says
// what was granted, too, but anybody can write a log: a grant of the log counts only if it is
// in here. See docs/decisions/0021-grants-and-the-log.md.
type sessionGrants struct {
	Version int    `json:"version"` // [grantsVersion]
	Session string `json:"session"` // id of the session
	// Foreign marks a session whose log was imported, or accepted after a change by hand, and
	// was not resumed since: nothing in the log counts.
	Foreign bool `json:"foreign,omitempty"`
	// Rules are the rules that were approved for the session.
	Rules []wire.PermissionRule `json:"rules,omitempty"`
	// Tools are the definitions of tools that Rules hold for.
	Tools definitions `json:"tools,omitempty"`
	// Skills has the allowed tools of the skills that were loaded, by the skill's name.
	Skills map[string][]string `json:"skills,omitempty"`
	// Folders are working directories that a client, or the start of the program, has chosen.
	Folders []string `json:"folders,omitempty"`
	// Adopted marks a session that was foreign when it was first resumed: its log was written
	// elsewhere, so a model of another provider counts only if Models has it.
	Adopted bool `json:"adopted,omitempty"`
	// Models are the chosen models whose names say where their calls go: Copilot Extensions agents and
	// addresses. In an adopted session these are all chosen models.
	Models []string `json:"models,omitempty"`
}

// session reads the grants of a session; nil if nothing is stored about it. What cannot be
// read is an error.
func (g *Grants) session(id string) (*sessionGrants, error) {
	ctx, done := bounded()
	defer done()
	data, err := g.vault.Session(ctx, id)
	if data == nil || err != nil {
		return nil, err
	}
	s := &sessionGrants{}
	err = fault.DecodeObject(data, s)
	if err == nil && (s.Session != id || s.Version > grantsVersion) {
		err = fmt.Errorf("it has the grants of session %q, version %d", s.Session, s.Version)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "permissions", g.vault.Name(id), "%w", err)
	}
	return s, nil
}

// put replaces the grants of a session, durably. It does not change granted, which the session
// reads at the same time.
func (g *Grants) put(granted *sessionGrants) error {
	s := granted.clone()
	s.Version = grantsVersion
	data, err := json.Marshal(s)
	if err != nil {
		return fault.New(fault.Internal, "permissions", g.vault.Name(s.Session), "%w", err)
	}
	ctx, done := bounded()
	defer done()
	return g.vault.Put(ctx, s.Session, append(data, '\n'))
}

// Disown marks a session as foreign: its log was imported, or was changed by hand. Nothing that
// is in the log now counts as a grant any more.
func (g *Grants) Disown(id string) error {
	return g.put(&sessionGrants{Session: id, Foreign: true, Adopted: true})
}

// Forget removes what is stored about a session that was deleted.
func (g *Grants) Forget(id string) error {
	ctx, done := bounded()
	defer done()
	return g.vault.Delete(ctx, id)
}

// Copy gives a fork of a session the grants of the session, if any are stored.
func (g *Grants) Copy(from, to string) error {
	s, err := g.session(from)
	if s == nil || err != nil {
		return err
	}
	c := s.clone()
	c.Session = to
	return g.put(c)
}

// clone returns a copy that can be changed while s is read.
func (s *sessionGrants) clone() *sessionGrants {
	c := *s
	c.Rules, c.Folders, c.Models = slices.Clone(s.Rules), slices.Clone(s.Folders), slices.Clone(s.Models)
	c.Skills = map[string][]string{}
	for name, allowed := range s.Skills {
		c.Skills[name] = allowed
	}
	return &c
}

// approvals are the recorded approvals for the session that this machine has granted.
func (s *sessionGrants) approvals(recorded []permit.Rule) []permit.Rule {
	if len(recorded) == 0 {
		return nil
	}
	return common(recorded, permit.FromWire(s.Rules, ""))
}

// skillRules are the recorded rules of loaded skills, by the skill's name, that this machine has granted.
func (s *sessionGrants) skillRules(recorded map[string][]permit.Rule) (rules []permit.Rule) {
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		allowed, _ := permit.SkillRules(name, s.Skills[name])
		rules = append(rules, common(recorded[name], allowed)...)
	}
	return rules
}

// common returns the rules that are in both lists.
func common(recorded, granted []permit.Rule) (both []permit.Rule) {
	for _, r := range recorded {
		if slices.ContainsFunc(granted, r.Same) {
			both = append(both, r)
		}
	}
	return both
}
