package discovery

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// skillProvider is the type of the warning about skills of a client.
const skillProvider = "skill_provider"

// provide adds the skills that the client lists now to those of files, and warns of what is left out, once for the same
// problems. The caller holds reading.
func (d *Discovery) provide(ctx context.Context, f *found) error {
	from := f.scope.Settings.Provider
	if from == nil || f.scope.Settings.NoSkills {
		return nil
	}
	var problems []string
	listed, err := from.List(ctx, d.sessionID)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		listed = nil
		problems = append(problems, "The skills of the client are not there: "+fault.Message(err)+".")
	}
	skills := make([]prompt.Skill, 0, len(listed))
	for _, l := range listed {
		k := prompt.Skill{
			Name: l.Name, Description: l.Description, ArgumentHint: l.ArgumentHint, Hidden: l.DisableModelInvocation,
			Internal: l.UserInvocable != nil && !*l.UserInvocable,
			Read:     func() (string, error) { return from.Read(context.Background(), d.sessionID, l.Name) },
		}
		switch {
		case l.Directory == "":
		case filepath.IsAbs(l.Directory):
			k.Path = filepath.Join(l.Directory, "SKILL.md")
		default:
			problems = append(problems, "The folder of the client's skill "+fault.Bounded(l.Name)+" has no effect: it is not an absolute path.")
		}
		skills = append(skills, k)
	}
	disabled, _ := d.finder.disabled.read() // the search before has reported the error
	problems = append(problems, f.skills.Provide(skills, append(disabled, f.scope.Settings.DisabledSkills...))...)
	f.skills.Warnings = append(f.skills.Warnings, problems...)
	text := strings.Join(problems, " ")
	if text == d.missed {
		return nil
	}
	d.missed = text
	if text == "" {
		return nil
	}
	if len(problems) > mostNamed {
		text = strings.Join(problems[:mostNamed], " ") + " There are more of these; session.skills.reload returns them all."
	}
	return d.session.Emit(ctx, &wire.SessionWarning{WarningType: skillProvider, Message: text})
}
