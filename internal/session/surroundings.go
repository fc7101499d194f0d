package session

import (
	"context"
	"reflect"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// surroundings is what the session has found in the folders around it. It does not
// change; the next run looks again.
type surroundings struct {
	instructions prompt.Instructions
	skills       prompt.Skills
	read         string // of instructions, as the model reads them
	agent        string // what the chosen agent is told; empty for the default one
	from         vantage
}

// vantage is all that decides what a look finds, but for the files.
type vantage struct {
	sites     sites
	cwd, root string
	agent     *persona
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
	fileHooks    hook.Switch
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
	p.fileHooks = p.fileHooks.Enable(cfg.EnableFileHooks)
	if cfg.EnableSkills != nil {
		p.noSkills = !*cfg.EnableSkills
	}
}

// look reads what is around the session, on the caller's goroutine.
func (s *Session) look(ctx context.Context) (*surroundings, error) {
	if err := s.readHooks(ctx); err != nil {
		return nil, err
	}
	return s.lookAround(ctx, false)
}

// readHooks reads the hook files, on the caller's goroutine.
func (s *Session) readHooks(ctx context.Context) error {
	from, err := s.vantage(ctx)
	if err != nil {
		return err
	}
	s.hooks.ReadFiles(hook.Where{Cwd: from.cwd, Root: from.root, Switch: from.sites.fileHooks})
	return nil
}

// readHooksOnce reads the hook files before the first message, which their hooks are to
// see. Later each run reads them again.
func (s *Session) readHooksOnce(ctx context.Context) error {
	if s.hooks.FilesRead() {
		return nil
	}
	return s.readHooks(ctx)
}

// known is what was found before, unless nobody has looked yet or the session looks
// elsewhere now.
func (s *Session) known(ctx context.Context) (*surroundings, error) {
	from, err := s.vantage(ctx)
	if err != nil {
		return nil, err
	}
	if a := s.around.Load(); a != nil && reflect.DeepEqual(a.from, from) {
		return a, nil
	}
	return s.look(ctx)
}

func (s *Session) vantage(ctx context.Context) (from vantage, err error) {
	err = s.post(ctx, func() error { from = vantage{s.sites, s.state.Cwd, s.state.GitRoot, s.agent}; return nil })
	return from, err
}

// lookAround reads what is around the session; one call at a time, so that what is
// kept in the end is the newest. The first look is told to the clients, and every one
// that they asked for.
func (s *Session) lookAround(ctx context.Context, asked bool) (*surroundings, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	from, err := s.vantage(ctx)
	if err != nil {
		return nil, err
	}
	found := s.reg.survey(from)
	disabled, err := s.reg.disabled.read()
	if err != nil {
		found.skills.Warnings = append(found.skills.Warnings, err.Error())
	}
	disabled = append(disabled, from.sites.disabled...)
	return found, s.post(ctx, func() error {
		for i, k := range found.skills.List {
			on, chosen := s.chosen[k.Name]
			found.skills.List[i].Enabled = on || !chosen && !slices.Contains(disabled, k.Name)
		}
		first := s.around.Swap(found) == nil
		if first || asked {
			s.emit(skillsLoaded(found.skills))
		}
		return nil
	})
}

// survey reads what there is to be found. Which skills are turned off is for the
// session to say.
func (r *Registry) survey(from vantage) *surroundings {
	p, disk := from.sites, r.disk()
	found := &surroundings{from: from, instructions: prompt.ReadInstructions(prompt.Where{
		Disk: disk, Cwd: from.cwd, Root: from.root, Home: r.opts.Home, Directories: p.instructions, Organization: p.organization, Skip: p.skip,
	})}
	if !p.noSkills {
		found.skills = prompt.FindSkills(prompt.SkillPlaces{
			Disk: disk, Directories: p.skills, Cwd: from.cwd, Root: from.root, Home: r.opts.Home, UserHome: r.opts.UserHome, Discover: p.discover,
		})
	}
	found.read, found.agent = found.instructions.Text(), from.agent.instructions(disk, found.skills)
	return found
}

// unlook lets go what only a run needs: a session at rest keeps no texts.
func (s *Session) unlook() {
	if a := s.around.Load(); a != nil {
		s.around.Store(&surroundings{skills: a.skills})
	}
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
