package discovery

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Agents returns the agents that the last search found in files; none before the first
// search. The caller does not modify the slice.
func (d *Discovery) Agents() []agent.Definition {
	if f := d.found.Load(); f != nil {
		return f.agents.List
	}
	return nil
}

// AgentProblems returns what was wrong with the files of agents in the last search: why some
// were left out, and which parts of others have no effect.
func (d *Discovery) AgentProblems() (warnings, errors []string) {
	if f := d.found.Load(); f != nil {
		return slices.Concat(f.agents.Warnings, f.agents.Changed), f.agents.Errors
	}
	return nil, nil
}

// AgentText returns the instructions of a sub-agent's definition, with the texts of the skills
// that it starts with. It reads files, or waits for the client that has the skills.
func (d *Discovery) AgentText(ctx context.Context, def agent.Definition) string {
	var skills prompt.Skills
	if last := d.found.Load(); last != nil {
		skills = last.skills
	}
	text, problems := d.finder.agentText(ctx, skills, def)
	if ctx.Err() == nil {
		_ = d.warnOfAgent(ctx, def, problems) // an error is that of a session that closes or a sub-agent that ends
	}
	return text
}

// warnOfAgent warns of skills that an agent does not start with.
func (d *Discovery) warnOfAgent(ctx context.Context, def agent.Definition, problems []string) error {
	return d.warn(ctx, agentSkills, "The agent "+def.Name+" does not have all of its skills: ", problems, "; ", ".")
}

// Agents finds the agents of a scope in files, without a session.
func (f *Finder) Agents(scope Scope) []agent.Definition { return f.agents(scope).List }

// agents finds the agents of a scope. Those of a project, which anybody may have written, are
// read only if the client looks for configuration in projects. Without the user's trust in the folder they have no
// powers.
func (f *Finder) agents(scope Scope) prompt.Agents {
	s := prompt.AgentSearch{Disk: f.Disk(), Home: f.opts.Home, Plugins: f.pluginRoots(scope), Counts: f.opts.Counts}
	for _, dir := range scope.Settings.AgentDirectories {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(scope.Cwd, dir)
		}
		s.Directories = append(s.Directories, filepath.Clean(dir))
	}
	if scope.Settings.DiscoverSkills {
		s.Root, s.Cwd = cmp.Or(scope.Root, scope.Cwd), scope.Cwd
	}
	return prompt.FindAgents(s)
}

// trustedProject returns the project of a scope if the client looks for configuration there, one
// of the project's folders exists, and the user trusts it; else "". The warning is about folders
// that are not read because the user does not trust them.
func (f *Finder) trustedProject(scope Scope, folders func(project string) []string) (root, warning string) {
	if !scope.Settings.DiscoverSkills {
		return "", ""
	}
	project := cmp.Or(scope.Root, scope.Cwd)
	if !f.anyExists(folders(project)) {
		return "", ""
	}
	if f.untrusted(project) {
		return "", folders(project)[0] + ": not read, because the folder is not trusted"
	}
	return project, ""
}

// untrusted reports whether the user does not trust a folder, whatever it has.
func (f *Finder) untrusted(folder string) bool {
	return errors.Is(f.opts.Counts(filepath.Join(folder, projectfiles.GitFolder), ""), projectfiles.ErrUntrusted)
}

func (f *Finder) anyExists(paths []string) bool {
	for _, p := range paths {
		if _, err := f.opts.FS.Stat(p); err == nil {
			return true
		}
	}
	return false
}

// AgentFiles finds agents without a session: those of projects and, if host is set, the
// user's. It only lists them, so projects need no trust.
func (f *Finder) AgentFiles(paths []string, host bool) ([]agent.Definition, error) {
	projects, err := f.projects("agents.discover", paths)
	if err != nil {
		return nil, err
	}
	var all []agent.Definition
	for _, project := range projects {
		all = append(all, prompt.FindAgents(prompt.AgentSearch{Disk: f.Disk(), Root: project}).List...)
	}
	if host {
		all = append(all, prompt.FindAgents(prompt.AgentSearch{Disk: f.Disk(), Home: f.opts.Home}).List...)
	}
	return all, nil
}

// AgentPaths returns the folders where agents are found: in projects and, if host is set, in
// the user's folder; never nil.
func (f *Finder) AgentPaths(paths []string, host bool) ([]wire.AgentPath, error) {
	out := []wire.AgentPath{}
	projects, err := f.projects("agents.getDiscoveryPaths", paths)
	if err != nil {
		return nil, err
	}
	for i, project := range projects {
		for n, dir := range prompt.AgentFolders(project) {
			out = append(out, wire.AgentPath{Path: dir, PreferredForCreation: n == 0, ProjectPath: &paths[i], Scope: "project"})
		}
	}
	if host && f.opts.Home != "" {
		for n, dir := range prompt.UserAgentFolders(f.opts.Home) {
			out = append(out, wire.AgentPath{Path: dir, PreferredForCreation: n == 0, Scope: "user"})
		}
	}
	return out, nil
}
