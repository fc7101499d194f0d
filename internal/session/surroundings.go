package session

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// surroundings is what the session has found in the folders around it. It does not
// change; the next run looks again.
type surroundings struct {
	skills prompt.Skills
	read   string // the instructions, as the model reads them
	agent  string // what the chosen agent is told; empty for the default one
}

// sites is where the session looks, and what of it counts; a client configures it.
type sites struct {
	instructions []string // more directories
	organization string
	skip         bool // read no instructions
	skills       []string
	disabled     []string // skills
	noSkills     bool
	discover     bool // look for skills in the project too
}

// configure takes over what is said about sites; what is absent stays.
func (p *sites) configure(cfg wire.Config) {
	if cfg.InstructionDirectories != nil {
		p.instructions = cfg.InstructionDirectories
	}
	if cfg.OrganizationInstructions != "" {
		p.organization = cfg.OrganizationInstructions
	}
	if cfg.SkillDirectories != nil {
		p.skills = cfg.SkillDirectories
	}
	if cfg.DisabledSkills != nil {
		p.disabled = cfg.DisabledSkills
	}
	for dst, src := range map[*bool]*bool{&p.skip: cfg.SkipCustomInstructions, &p.discover: cfg.EnableConfigDiscovery} {
		if src != nil {
			*dst = *src
		}
	}
	if cfg.EnableSkills != nil {
		p.noSkills = !*cfg.EnableSkills
	}
}

// look reads what is around the session, on the caller's goroutine.
func (s *Session) look(ctx context.Context) (*surroundings, error) {
	var p sites
	var cwd, root string
	var agent *persona
	if err := s.post(ctx, func() error { p, cwd, root, agent = s.sites, s.cwd, s.gitRoot, s.agent; return nil }); err != nil {
		return nil, err
	}
	o := s.reg.opts
	disk := s.reg.disk()
	found := &surroundings{read: prompt.ReadInstructions(prompt.Where{
		Disk: disk, Cwd: cwd, Root: root, Home: o.Home, Directories: p.instructions, Organization: p.organization, Skip: p.skip,
	}).Text()}
	if !p.noSkills {
		found.skills = prompt.FindSkills(prompt.SkillPlaces{
			Disk: disk, Directories: p.skills, Cwd: cwd, Root: root, Home: o.Home, UserHome: o.UserHome,
			Discover: p.discover, Disabled: p.disabled,
		})
	}
	found.agent = agent.instructions(disk, found.skills)
	s.around.Store(found)
	return found, nil
}

// unlook lets go what only a run needs: a session at rest keeps no texts.
func (s *Session) unlook() {
	if a := s.around.Load(); a != nil {
		s.around.Store(&surroundings{skills: a.skills})
	}
}

// SkillListing implements [tool.SkillLoader].
func (h host) SkillListing() string {
	if a := h.s.around.Load(); a != nil {
		return a.skills.Listing()
	}
	return ""
}

// LoadSkill implements [tool.SkillLoader].
func (h host) LoadSkill(_ context.Context, name string) ([]wire.Data, error) {
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
	return []wire.Data{text.Invoked("agent-invoked")}, nil
}

// disk is how this package reads what is around a session.
func (r *Registry) disk() prompt.Disk {
	return prompt.Disk{FS: r.opts.FS, Resolve: func(path string) (string, error) {
		if real := r.opts.Resolve(path); real != "" {
			return real, nil
		}
		return "", fault.New(fault.NotFound, "session", path, "it cannot be known where it leads")
	}}
}

// persona is the agent that the session was given in place of the default one.
type persona struct {
	wire.CustomAgent
}

// choose takes over the agents of a configuration. [fault.NotFound] if it chooses
// one that it does not define.
func (s *Session) choose(cfg wire.Config) error {
	if cfg.CustomAgents != nil {
		s.agents = cfg.CustomAgents
	}
	if cfg.Agent == "" {
		return nil
	}
	i := slices.IndexFunc(s.agents, func(a wire.CustomAgent) bool { return a.Name == cfg.Agent })
	if i < 0 {
		return fault.New(fault.NotFound, "session", s.id, "there is no agent %q among customAgents", cfg.Agent)
	}
	s.agent = &persona{s.agents[i]}
	return nil
}

// instructions is what the agent is told, with the skills that it knows from the
// beginning; "" for the default agent.
func (p *persona) instructions(disk prompt.Disk, skills prompt.Skills) string {
	if p == nil {
		return ""
	}
	var texts []string
	for _, name := range p.Skills {
		if skill, ok := skills.Get(name); ok && skill.Enabled {
			if text, err := disk.Load(skill); err == nil {
				texts = append(texts, text.Context())
			}
		}
	}
	return prompt.AgentInstructions(p.Prompt, texts...)
}
