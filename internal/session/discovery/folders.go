package discovery

import (
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxProjects bounds the number of projects in one call.
const maxProjects = 100

// projects returns the folders of a call, made absolute and clean.
func (f *Finder) projects(op string, paths []string) ([]string, error) {
	if len(paths) > maxProjects {
		return nil, fault.New(fault.Invalid, op, "", "%d projectPaths, %d are the most", len(paths), maxProjects)
	}
	var out []string
	for _, p := range paths {
		switch {
		case p == "" || strings.ContainsRune(p, 0):
			return nil, fault.New(fault.Invalid, op, "", "%q among projectPaths is not a path", p)
		case !filepath.IsAbs(p):
			p = filepath.Join(f.opts.Cwd, p)
		}
		out = append(out, filepath.Clean(p))
	}
	return out, nil
}

// Skills finds skills without a session: those of projects and, if host is set, those in
// directories and the user's own. Errors about skills are returned only if host is set,
// because they contain paths of the host.
func (f *Finder) Skills(paths, directories []string, host bool) (wire.ServerSkills, error) {
	found := wire.ServerSkills{Skills: []wire.ServerSkill{}}
	projects, err := f.projects("skills.discover", paths)
	if err != nil {
		return found, err
	}
	disabled, err := f.disabled.read()
	if err != nil {
		return found, err
	}
	where := prompt.SkillSearch{Disk: f.Disk(), Disabled: disabled, Discover: true}
	var errors []string
	take := func(project *string) {
		skills := prompt.FindSkills(where)
		found.Skills = append(found.Skills, serverSkills(skills, project)...)
		errors = append(errors, skills.Errors...)
	}
	for i, project := range projects {
		where.Cwd, where.Root = project, f.GitRoot(project)
		take(&paths[i])
	}
	if host {
		where.Cwd, where.Root = "", ""
		for _, dir := range directories {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(f.opts.Cwd, dir)
			}
			where.Directories = append(where.Directories, dir)
		}
		where.Home, where.UserHome = f.opts.Home, f.opts.UserHome
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

// SkillPaths returns the folders where skills are found: in projects and, if host is set, in
// the user's folders; never nil.
func (f *Finder) SkillPaths(paths []string, host bool) ([]wire.SkillPath, error) {
	out := []wire.SkillPath{}
	projects, err := f.projects("skills.getDiscoveryPaths", paths)
	if err != nil {
		return nil, err
	}
	for i, project := range projects {
		for n, dir := range prompt.SkillFolders(project) {
			out = append(out, wire.SkillPath{Path: dir, PreferredForCreation: n == 0, ProjectPath: &paths[i], Scope: "project"})
		}
	}
	own, shared := prompt.UserSkillFolders(f.opts.Home, f.opts.UserHome)
	if host && f.opts.Home != "" {
		for n, dir := range own {
			out = append(out, wire.SkillPath{Path: dir, PreferredForCreation: n == 0, Scope: "personal-copilot"})
		}
	}
	if host && f.opts.UserHome != "" {
		for _, dir := range shared {
			out = append(out, wire.SkillPath{Path: dir, Scope: "personal-agents"})
		}
	}
	return out, nil
}

// Instructions finds instructions without a session: the user's, if host is set, and those
// of projects; never nil.
func (f *Finder) Instructions(paths []string, host bool) ([]wire.InstructionSource, error) {
	projects, err := f.projects("instructions.discover", paths)
	if err != nil {
		return nil, err
	}
	out := []wire.InstructionSource{}
	if host {
		out = prompt.ReadInstructions(prompt.InstructionSearch{Disk: f.Disk(), Home: f.opts.Home, UserHome: f.claudeHome()}).Wire()
	}
	for i, project := range projects {
		for _, source := range prompt.ReadInstructions(prompt.InstructionSearch{Disk: f.Disk(), Cwd: project, Root: f.GitRoot(project)}).Wire() {
			source.ProjectPath = &paths[i]
			out = append(out, source)
		}
	}
	return out, nil
}

// InstructionPaths returns the files and folders where instructions are found. host is as in
// [Finder.SkillPaths]. Never nil.
func (f *Finder) InstructionPaths(paths []string, host bool) ([]wire.InstructionPath, error) {
	projects, err := f.projects("instructions.getDiscoveryPaths", paths)
	if err != nil {
		return nil, err
	}
	out := []wire.InstructionPath{}
	take := func(targets []prompt.Target, location wire.InstructionTier, project *string, preferred bool) {
		for n, t := range targets {
			kind := wire.InstructionPathKind("file")
			if t.Folder {
				kind = "directory"
			}
			out = append(out, wire.InstructionPath{Kind: kind, Location: location, Path: t.Path, PreferredForCreation: preferred && n == 0, ProjectPath: project})
		}
	}
	if host && f.opts.Home != "" {
		take(prompt.UserInstructions(f.opts.Home, ""), "user", nil, true)
		take(prompt.UserInstructions("", f.claudeHome()), "user", nil, false)
	}
	for i, project := range projects {
		take(prompt.ProjectInstructions(project), "repository", &paths[i], true)
	}
	return out, nil
}
