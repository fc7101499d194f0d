package session

import (
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxProjects bounds the projects that are looked into at once.
const maxProjects = 100

// projects are folders that a client names, absolute and clean.
func (r *Registry) projects(op string, paths []string) ([]string, error) {
	if len(paths) > maxProjects {
		return nil, fault.New(fault.Invalid, op, "", "%d projectPaths, %d are the most", len(paths), maxProjects)
	}
	var out []string
	for _, p := range paths {
		switch {
		case p == "" || strings.ContainsRune(p, 0):
			return nil, fault.New(fault.Invalid, op, "", "%q among projectPaths is no path", p)
		case !filepath.IsAbs(p):
			p = filepath.Join(r.opts.Cwd, p)
		}
		out = append(out, filepath.Clean(p))
	}
	return out, nil
}

// DiscoverSkills looks for skills without a session: those of projects, then, if host
// is set, those in directories and the user's own. What is wrong with skills is said
// only then, for it tells where on the host they lie.
func (r *Registry) DiscoverSkills(paths, directories []string, host bool) (wire.ServerSkills, error) {
	found := wire.ServerSkills{Skills: []wire.ServerSkill{}}
	projects, err := r.projects("skills.discover", paths)
	if err != nil {
		return found, err
	}
	disabled, err := r.disabled.read()
	if err != nil {
		return found, err
	}
	places := prompt.SkillPlaces{Disk: r.disk(), Disabled: disabled, Discover: true}
	var errors []string
	take := func(project *string) {
		skills := prompt.FindSkills(places)
		found.Skills = append(found.Skills, serverSkills(skills, project)...)
		errors = append(errors, skills.Errors...)
	}
	for i, project := range projects {
		places.Cwd, places.Root = project, gitRoot(r.opts.FS, project)
		take(&paths[i])
	}
	if host {
		places.Cwd, places.Root = "", ""
		for _, dir := range directories {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(r.opts.Cwd, dir)
			}
			places.Directories = append(places.Directories, dir)
		}
		places.Home, places.UserHome = r.opts.Home, r.opts.UserHome
		take(nil)
		found.Errors = errors
	}
	return found, nil
}

func serverSkills(skills prompt.Skills, project *string) (out []wire.ServerSkill) {
	for _, k := range skills.Wire() {
		out = append(out, wire.ServerSkill{
			Name: k.Name, Description: k.Description, Path: k.Path, Source: k.Source, Enabled: k.Enabled,
			UserInvocable: k.UserInvocable, CommandName: k.CommandName, ArgumentHint: k.ArgumentHint, ProjectPath: project,
		})
	}
	return out
}

// SkillPaths is where skills can be put so that they are found: in projects, and, if
// host is set, for the user; never nil.
func (r *Registry) SkillPaths(paths []string, host bool) ([]wire.SkillPath, error) {
	out := []wire.SkillPath{}
	projects, err := r.projects("skills.getDiscoveryPaths", paths)
	if err != nil {
		return nil, err
	}
	for i, project := range projects {
		for n, dir := range prompt.SkillFolders(project) {
			out = append(out, wire.SkillPath{Path: dir, PreferredForCreation: n == 0, ProjectPath: &paths[i], Scope: "project"})
		}
	}
	if host && r.opts.Home != "" {
		out = append(out, wire.SkillPath{Path: filepath.Join(r.opts.Home, "skills"), PreferredForCreation: true, Scope: "personal-copilot"})
	}
	if host && r.opts.UserHome != "" {
		out = append(out, wire.SkillPath{Path: filepath.Join(r.opts.UserHome, ".agents", "skills"), Scope: "personal-agents"})
	}
	return out, nil
}

// DiscoverInstructions looks for instructions without a session: the user's, if host
// is set, then those of projects; never nil.
func (r *Registry) DiscoverInstructions(paths []string, host bool) ([]wire.InstructionSource, error) {
	projects, err := r.projects("instructions.discover", paths)
	if err != nil {
		return nil, err
	}
	out := []wire.InstructionSource{}
	if host {
		out = prompt.ReadInstructions(prompt.Where{Disk: r.disk(), Home: r.opts.Home}).Wire()
	}
	for i, project := range projects {
		for _, source := range prompt.ReadInstructions(prompt.Where{Disk: r.disk(), Cwd: project, Root: gitRoot(r.opts.FS, project)}).Wire() {
			source.ProjectPath = &paths[i]
			out = append(out, source)
		}
	}
	return out, nil
}

// InstructionPaths is where instructions can be put so that they are found, as
// [Registry.SkillPaths]; never nil.
func (r *Registry) InstructionPaths(paths []string, host bool) ([]wire.InstructionPath, error) {
	projects, err := r.projects("instructions.getDiscoveryPaths", paths)
	if err != nil {
		return nil, err
	}
	out := []wire.InstructionPath{}
	take := func(targets []prompt.Target, location wire.InstructionTier, project *string) {
		for n, t := range targets {
			kind := wire.InstructionPathKind("file")
			if t.Folder {
				kind = "directory"
			}
			out = append(out, wire.InstructionPath{Kind: kind, Location: location, Path: t.Path, PreferredForCreation: n == 0, ProjectPath: project})
		}
	}
	if host && r.opts.Home != "" {
		take(prompt.UserInstructions(r.opts.Home), "user", nil)
	}
	for i, project := range projects {
		take(prompt.ProjectInstructions(project), "repository", &paths[i])
	}
	return out, nil
}
