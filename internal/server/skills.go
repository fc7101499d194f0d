package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func listSkills(ctx context.Context, s *session.Session, _ named) (any, error) {
	skills, err := s.Discovery().Skills(ctx)
	if err != nil {
		return nil, err
	}
	return encode(wire.SkillList{Skills: skills})
}

func enableSkill(ctx context.Context, s *session.Session, p wire.SkillNamed) (any, error) {
	return turnSkill(ctx, s, p.Name, true)
}

func disableSkill(ctx context.Context, s *session.Session, p wire.SkillNamed) (any, error) {
	return turnSkill(ctx, s, p.Name, false)
}

func turnSkill(ctx context.Context, s *session.Session, name string, on bool) (any, error) {
	if name == "" {
		return nil, missing("name")
	}
	return none{}, s.Discovery().EnableSkill(ctx, name, on)
}

func reloadSkills(ctx context.Context, s *session.Session, _ named) (any, error) {
	return s.Discovery().ReloadSkills(ctx)
}

func ensureSkills(ctx context.Context, s *session.Session, _ named) (any, error) {
	_, err := s.Discovery().Skills(ctx)
	return none{}, err
}

func invokedSkills(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		skills, err := a.client.Session().InvokedSkills(ctx)
		if err != nil {
			return nil, err
		}
		return encode(wire.SkillsInvoked{Skills: skills})
	})
}

func discoverSkills(ctx context.Context, c *conn, p wire.SkillsDiscover) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		found, err := c.home().Sessions.Finder().Skills(p.ProjectPaths, p.SkillDirectories, !is(p.ExcludeHostSkills))
		if err != nil {
			return nil, err
		}
		return encode(found)
	})
}

func skillPaths(_ context.Context, c *conn, p wire.SkillPathsParams) (any, error) {
	paths, err := c.home().Sessions.Finder().SkillPaths(p.ProjectPaths, !is(p.ExcludeHostSkills))
	return wire.SkillPaths{Paths: paths}, err
}

func setDisabledSkills(_ context.Context, c *conn, p wire.SkillsDisabled) (any, error) {
	if p.DisabledSkills == nil { // an empty list enables all skills; leaving it out is a mistake
		return nil, missing("disabledSkills")
	}
	return none{}, c.home().Sessions.Finder().DisableSkills(p.DisabledSkills)
}

func setSkillDisabled(_ context.Context, c *conn, p wire.SkillDisabled) (any, error) {
	if p.Name == "" {
		return nil, missing("name")
	}
	return none{}, c.home().Sessions.Finder().DisableSkill(p.Name, p.Disabled)
}

func is(v *bool) bool { return v != nil && *v }
