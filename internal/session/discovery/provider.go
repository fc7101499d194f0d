package discovery

import (
	"context"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
)

// provide adds the skills that the client lists now to those of files. The problems are what is left out, a sentence
// each.
func (d *Discovery) provide(ctx context.Context, f *found) (problems []string) {
	from := f.scope.Settings.Provider
	if from == nil || f.scope.Settings.NoSkills {
		return nil
	}
	listed, err := from.List(ctx, d.sessionID)
	if err != nil {
		listed = nil
		problems = append(problems, "The skills of the client are not there: "+fault.Message(err)+".")
	}
	skills := make([]prompt.Skill, 0, len(listed))
	for _, l := range listed {
		k := prompt.Skill{
			Name: l.Name, Description: l.Description, ArgumentHint: l.ArgumentHint, Hidden: l.DisableModelInvocation,
			Internal: l.UserInvocable != nil && !*l.UserInvocable,
			Read:     func(ctx context.Context) (string, error) { return from.Read(ctx, d.sessionID, l.Name) },
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
	return append(problems, f.skills.Provide(skills, append(disabled, f.scope.Settings.DisabledSkills...))...)
}
