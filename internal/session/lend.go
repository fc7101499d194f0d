package session

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// What a skill names as its allowed tools needs no question from when it is loaded
// until its session ends. Denials still count. Skills of a project have a say in that
// only if its folder is trusted: who clones a repository has allowed nothing yet.

// skillTools is the type of the warning about allowed tools that allow nothing.
const skillTools = "skill_allowed_tools"

// lend takes from a skill what it may not allow, and returns a warning that says so,
// the first time that the session loads it.
func (s *Session) lend(ctx context.Context, skill *prompt.SkillText) ([]wire.Data, error) {
	if len(skill.AllowedTools) == 0 {
		return nil, nil
	}
	var known bool
	err := s.post(context.WithoutCancel(ctx), func() error { _, known = s.state.SkillRules[skill.Name]; return nil })
	if err != nil {
		return nil, err
	}
	why := ""
	if _, odd := permit.SkillRules(skill.Name, skill.AllowedTools); len(odd) > 0 {
		why = "The skill " + skill.Name + " names allowed tools that are none: " + strings.Join(odd, "; ") + "."
	}
	if skill.Source == "project" || skill.Source == "inherited" {
		if trusted, err := s.reg.Trusted(skill.Path); err != nil || !trusted {
			skill.AllowedTools = nil
			why = "The allowed tools of the skill " + skill.Name + " are asked about like others: the folder it lies in is not trusted."
		}
	}
	if known || why == "" {
		return nil, nil
	}
	return []wire.Data{&wire.SessionWarning{WarningType: skillTools, Message: why}}, nil
}
