package discovery

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skills returns the skills of the session, including those that are off; never nil. It
// searches first if necessary.
func (d *Discovery) Skills(ctx context.Context) ([]wire.Skill, error) {
	f, err := d.known(ctx)
	if err != nil {
		return nil, err
	}
	return f.skills.Wire(), nil
}

// ReloadSkills searches again and sends the skills to the clients. It returns the problems of
// skills that were found, and the skills that cannot be used; never nil. [fault.Unavailable] as for
// [Discovery.SearchAgain].
func (d *Discovery) ReloadSkills(ctx context.Context) (wire.SkillDiagnostics, error) {
	f, err := d.refresh(ctx, true, time.After(searchWait))
	if err != nil {
		return wire.SkillDiagnostics{}, err
	}
	return wire.SkillDiagnostics{Warnings: append([]string{}, f.skills.Warnings...), Errors: append([]string{}, f.skills.Errors...)}, nil
}

// EnableSkill turns a skill on or off for as long as the session is in memory; this takes
// precedence over the configuration and the user's list. The error is [fault.NotFound] if
// the skill does not exist.
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
	next := *d.found.Load() // other goroutines may be reading the current value
	next.skills.List = slices.Clone(next.skills.List)
	next.skills.Enable(skill.Name, on)
	d.found.Store(&next)
	return nil
}

// Listing returns the names and descriptions of the skills that the model may load; "" if
// there are none, and before the first search.
func (d *Discovery) Listing() string {
	if f := d.found.Load(); f != nil {
		return f.skills.Listing()
	}
	return ""
}

// Types of warnings about a skill that is loaded.
const (
	allowedTools = "skill_allowed_tools" // about allowed-tools entries that have no effect
	textCommands = "skill_commands"      // about commands in its text that did not run
	longSkill    = "skill_cut"           // about the end of a text that is too long
)

// LoadSkill reads a skill that the model of an agent requests by name; agentID is "" for the main agent. Tools that the skill may not
// allow are removed from its AllowedTools; a warning names them, and the entries that are not
// rules, and another one says that the skill is cut. The error is for the model: it says why the skill
// cannot be loaded, and lists the skills.
//
// Skills allow tools only if they are the user's own, or if the user trusts the folder that they
// lie in, and has agreed to their text: cloning a repository allows nothing, and neither does a plugin or a folder that a client
// names.
func (d *Discovery) LoadSkill(ctx context.Context, agentID, name string) (skill prompt.SkillText, warnings []wire.Data, err error) {
	f := d.found.Load()
	if f == nil {
		return skill, nil, fault.New(fault.NotFound, "session.skills", d.sessionID, "there are no skills")
	}
	k, err := f.skills.ForModel(name)
	if err != nil {
		return skill, nil, err
	}
	skill, refused, err := d.finder.Disk().LoadCounted(ctx, k, d.counts(k))
	if err != nil {
		return skill, nil, err
	}
	skill, unused, err := d.fill(ctx, agentID, skill, "", true, refused)
	if err != nil {
		return skill, nil, err
	}
	if commands := slices.DeleteFunc(unused, func(part string) bool { return !strings.HasPrefix(part, "the command ") }); len(commands) > 0 {
		warnings = append(warnings, &wire.SessionWarning{WarningType: textCommands, Message: "The skill " + skill.Name + " has commands that did not run: " + strings.Join(commands, "; ") + "."})
	}
	if skill.Cut != "" {
		warnings = append(warnings, &wire.SessionWarning{WarningType: longSkill, Message: "The model does not get all of a skill: " + skill.Cut + "."})
	}
	if len(skill.AllowedTools) == 0 {
		return skill, warnings, nil
	}
	why := ""
	if _, unknown := permit.SkillRules(skill.Name, skill.AllowedTools); len(unknown) > 0 {
		why = "The skill " + skill.Name + " names allowed tools that are none: " + strings.Join(unknown, "; ") + "."
	}
	if refused != nil {
		skill.AllowedTools = nil
		why = "The allowed tools of the skill " + skill.Name + " are asked about like others: "
		if errors.Is(refused, projectfiles.ErrUntrusted) {
			why += "the folder it lies in is not trusted."
		} else {
			if skill.Path != "" {
				why += skill.Path + ": "
			}
			why += refused.Error() + "."
		}
	}
	if why != "" {
		warnings = append(warnings, &wire.SessionWarning{WarningType: allowedTools, Message: why})
	}
	return skill, warnings, nil
}

// skillsLoaded returns the event that lists the skills.
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

// ReadSkill reads a skill that a user invokes by name with what the user wrote after it, also one that the model may not
// load. unused says what of it has no effect.
// It reads the file on the caller's goroutine, or waits for the client that has the skill. [fault.NotFound] if the skill does not exist.
func (d *Discovery) ReadSkill(ctx context.Context, name, input string) (text prompt.SkillText, unused []string, err error) {
	if f := d.found.Load(); f != nil {
		if k, ok := f.skills.Get(name); ok {
			text, refused, err := d.finder.Disk().LoadCounted(ctx, k, d.counts(k))
			if err != nil {
				return text, nil, err
			}
			return d.fill(ctx, "", text, input, false, refused)
		}
	}
	return text, nil, fault.New(fault.NotFound, "session.skills", d.sessionID, "there is no skill %q", name)
}

// counts says which skills the user has agreed to; nil for one of the user's own.
func (d *Discovery) counts(k prompt.Skill) projectfiles.Counts {
	if k.Own() {
		return nil
	}
	return d.finder.opts.Counts
}

// fill puts everything in its place in the text of a skill.
func (d *Discovery) fill(ctx context.Context, agentID string, text prompt.SkillText, input string, loaded bool, refused error) (prompt.SkillText, []string, error) {
	scope, err := d.session.Scope(ctx)
	if err != nil {
		return text, nil, err
	}
	return d.finder.Disk().Filled(text, input, loaded, refused, d.use(ctx, scope, agentID))
}
