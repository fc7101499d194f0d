package session

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Skills are the skills of the session, those that are turned off among them; never
// nil. It looks for them if nobody has yet.
func (s *Session) Skills(ctx context.Context) ([]wire.Skill, error) {
	a, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return a.skills.Wire(), nil
}

// ReloadSkills looks for skills again, and returns what is wrong with those that were
// found and which could not be used; never nil.
func (s *Session) ReloadSkills(ctx context.Context) (wire.SkillDiagnostics, error) {
	a, err := s.lookAround(ctx, true)
	if err != nil {
		return wire.SkillDiagnostics{}, err
	}
	return wire.SkillDiagnostics{Warnings: append([]string{}, a.skills.Warnings...), Errors: append([]string{}, a.skills.Errors...)}, nil
}

// EnableSkill turns a skill on or off for as long as the session is in memory,
// whatever the configuration says. [fault.NotFound] if there is none of that name.
func (s *Session) EnableSkill(ctx context.Context, name string, on bool) error {
	a, err := s.known(ctx)
	if err != nil {
		return err
	}
	skill, ok := a.skills.Get(name)
	if !ok {
		return fault.New(fault.NotFound, "session.skills", s.id, "there is no skill %q", name)
	}
	return s.do(ctx, func() error {
		if s.chosen = maps.Clone(s.chosen); s.chosen == nil {
			s.chosen = map[string]bool{}
		}
		s.chosen[skill.Name] = on
		now := *s.around.Load() // others may be reading what is there
		now.skills.List = slices.Clone(now.skills.List)
		now.skills.Enable(skill.Name, on)
		s.around.Store(&now)
		return nil
	})
}

// InvokedSkills are the skills that were loaded in this conversation, the newest
// last; never nil.
func (s *Session) InvokedSkills(ctx context.Context) ([]wire.SkillLoaded, error) {
	var cuts state.Spans
	if err := s.do(ctx, func() error { cuts = s.state.Cuts(); return nil }); err != nil {
		return nil, err
	}
	invoked, turn := []wire.SkillLoaded{}, int64(0)
	for rec, err := range cuts.Kept(s.log.Read(ctx, 1)) {
		if err != nil {
			return nil, err
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil || e.AgentID != "" {
			continue
		}
		switch data := wire.Raw(e.Data); e.Type {
		case "assistant.turn_start":
			turn, _ = strconv.ParseInt(data.Get("turnId").Text(), 10, 64)
		case "skill.invoked":
			k := wire.SkillLoaded{
				Name: data.Get("name").Text(), Path: data.Get("path").Text(), Content: data.Get("content").Text(),
				AllowedTools: wire.Texts(data.Get("allowedTools")), InvokedAtTurn: turn,
			}
			if hidden := data.Get("disableModelInvocation").True(); hidden {
				k.DisableModelInvocation = &hidden
			}
			invoked = append(invoked, k)
		}
	}
	return invoked, nil
}

// Instructions are the instructions that the session has found; never nil. It looks
// for them if nobody has yet.
func (s *Session) Instructions(ctx context.Context) ([]wire.InstructionSource, error) {
	a, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	return a.instructions.Wire(), nil
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

// SkillListing implements [tool.SkillLoader].
func (h host) SkillListing() string {
	if a := h.s.around.Load(); a != nil {
		return a.skills.Listing()
	}
	return ""
}

// LoadSkill implements [tool.SkillLoader].
func (h host) LoadSkill(ctx context.Context, name string) ([]wire.Data, error) {
	a := h.s.around.Load()
	if a == nil {
		return nil, fault.New(fault.NotFound, "session", h.s.id, "there are no skills")
	}
	skill, err := a.skills.ForModel(name)
	if err != nil {
		return nil, err
	}
	text, err := h.s.reg.disk().Load(skill)
	if err != nil {
		return nil, err
	}
	warning, err := h.s.lend(ctx, &text)
	if err != nil {
		return nil, err
	}
	return append([]wire.Data{text.Invoked("agent-invoked")}, warning...), nil
}
