package discovery

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skills are the skills of the session, also those that are off; never nil. It searches
// first if nobody has.
func (d *Discovery) Skills(ctx context.Context) ([]wire.Skill, error) {
	f, err := d.known(ctx)
	if err != nil {
		return nil, err
	}
	return f.skills.Wire(), nil
}

// ReloadSkills searches again and tells the clients which skills there are. It returns what
// is wrong with skills that were found, and which could not be used; never nil.
func (d *Discovery) ReloadSkills(ctx context.Context) (wire.SkillDiagnostics, error) {
	f, err := d.refresh(ctx, true)
	if err != nil {
		return wire.SkillDiagnostics{}, err
	}
	return wire.SkillDiagnostics{Warnings: append([]string{}, f.skills.Warnings...), Errors: append([]string{}, f.skills.Errors...)}, nil
}

// EnableSkill turns a skill on or off for as long as the session is in memory, whatever
// the configuration and the user's list say. [fault.NotFound] if there is none of that
// name.
func (d *Discovery) EnableSkill(ctx context.Context, name string, on bool) error {
	f, err := d.known(ctx)
	if err != nil {
		return err
	}
	skill, ok := f.skills.Get(name)
	if !ok {
		return fault.New(fault.NotFound, "session.skills", d.sessionID, "there is no skill %q", name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chosen = maps.Clone(d.chosen)
	if d.chosen == nil {
		d.chosen = map[string]bool{}
	}
	d.chosen[skill.Name] = on
	next := *d.found.Load() // other goroutines may read what is there
	next.skills.List = slices.Clone(next.skills.List)
	next.skills.Enable(skill.Name, on)
	d.found.Store(&next)
	return nil
}

// Listing names the skills that the model may load and says what they are for; "" if
// there are none, and before the first search.
func (d *Discovery) Listing() string {
	if f := d.found.Load(); f != nil {
		return f.skills.Listing()
	}
	return ""
}

// allowedTools is the type of the warning about allowed tools that allow nothing.
const allowedTools = "skill_allowed_tools"

// LoadSkill reads a skill that the model asks for by name. Tools that the skill may not
// allow are taken out of its AllowedTools; warning says so, and which entries are not
// rules; it is nil if there is nothing to say. The error is for the model: why there is
// no such skill, and which there are.
//
// The skills of a project allow tools only if the user trusts the folder: cloning a
// repository allows nothing.
func (d *Discovery) LoadSkill(name string) (skill prompt.SkillText, warning *wire.SessionWarning, err error) {
	f := d.found.Load()
	if f == nil {
		return skill, nil, fault.New(fault.NotFound, "session.skills", d.sessionID, "there are no skills")
	}
	k, err := f.skills.ForModel(name)
	if err != nil {
		return skill, nil, err
	}
	if skill, err = d.finder.Disk().Load(k); err != nil || len(skill.AllowedTools) == 0 {
		return skill, nil, err
	}
	why := ""
	if _, unknown := permit.SkillRules(skill.Name, skill.AllowedTools); len(unknown) > 0 {
		why = "The skill " + skill.Name + " names allowed tools that are none: " + strings.Join(unknown, "; ") + "."
	}
	if skill.Source == "project" || skill.Source == "inherited" {
		if trusted, err := d.finder.opts.Trusted(skill.Path); err != nil || !trusted {
			skill.AllowedTools = nil
			why = "The allowed tools of the skill " + skill.Name + " are asked about like others: the folder it lies in is not trusted."
		}
	}
	if why != "" {
		warning = &wire.SessionWarning{WarningType: allowedTools, Message: why}
	}
	return skill, warning, nil
}

// skillsLoaded is the event that says which skills there are.
func skillsLoaded(skills prompt.Skills) *wire.SkillsLoaded {
	e := &wire.SkillsLoaded{Skills: []wire.SkillsLoadedSkill{}}
	for _, k := range skills.Wire() {
		e.Skills = append(e.Skills, wire.SkillsLoadedSkill{
			Name: k.Name, Description: k.Description, Path: k.Path, Source: k.Source, Enabled: k.Enabled,
			UserInvocable: k.UserInvocable, CommandName: k.CommandName, ArgumentHint: k.ArgumentHint,
		})
	}
	return e
}
