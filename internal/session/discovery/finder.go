package discovery

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Options configures a [Finder]. FS, Resolve and Counts are required.
type Options struct {
	FS vfs.FS
	// Resolve returns an absolute path with its links resolved; "" if that fails.
	Resolve func(path string) string
	// Counts says which files the user has agreed to.
	Counts projectfiles.Counts
	// Home is the folder of the user's configuration, UserHome the user's home folder: both
	// contain instructions and skills. Empty: none. The skills that the user has turned off
	// are kept in skills.json in Home or, if Home is empty, in memory.
	Home, UserHome string
	// NoClaudeHome leaves out the instructions in .claude in UserHome. InstructionDirectories are folders of
	// instructions that the user names, for all sessions.
	NoClaudeHome           bool
	InstructionDirectories []string
	// Plugins knows the plugins whose skills are found. nil: there are none.
	Plugins *plugin.Store
	// Cwd is the folder that relative paths of clients are relative to.
	Cwd string
}

// Finder finds instructions, skills and repositories in folders. All sessions of a process
// use one at the same time.
type Finder struct {
	opts     Options
	disabled *disabledSkills
}

// NewFinder returns a finder. It reads nothing yet.
func NewFinder(o Options) *Finder {
	f := &Finder{opts: o, disabled: &disabledSkills{fs: o.FS}}
	if o.Home != "" {
		f.disabled.path = filepath.Join(o.Home, "skills.json")
	}
	return f
}

// Disk returns the access to files. Package prompt reads attachments through it too.
func (f *Finder) Disk() prompt.Disk {
	return prompt.Disk{FS: f.opts.FS, Resolve: func(path string) (string, error) {
		if real := f.opts.Resolve(path); real != "" {
			return real, nil
		}
		return "", fault.New(fault.NotFound, "session", path, "it cannot be known where it leads")
	}}
}

// find reads everything that a scope has, but for the text of its agent. Skills that the
// user or the settings have turned off are off; which of them clients have turned on is
// for the session to add. withheld says why a rule is against a file; nil: none is.
func (f *Finder) find(scope Scope, withheld func(path string) (why string)) *found {
	s, search := scope.Settings, f.instructionSearch(scope)
	search.Withheld = withheld
	out := &found{scope: scope, instructions: prompt.ReadInstructions(search)}
	out.text = out.instructions.Text()
	out.agents = f.agents(scope)
	disabled, err := f.disabled.read()
	if !s.NoSkills {
		out.skills = prompt.FindSkills(prompt.SkillSearch{
			Disk: f.Disk(), Directories: s.SkillDirectories, Plugins: f.pluginFolders(scope), Cwd: scope.Cwd, Root: scope.Root,
			Home: f.opts.Home, UserHome: f.opts.UserHome, Discover: s.DiscoverSkills,
			Disabled: append(disabled, s.DisabledSkills...),
		})
	}
	if err != nil {
		out.skills.Warnings = append(out.skills.Warnings, err.Error())
	}
	out.peers = f.PeerSettings(scope).Warnings
	out.strange = f.strange(out)
	return out
}

// instructionSearch is where the instructions of a scope are. Those of the user for Claude Code are read where the
// client looks for configuration on this machine.
func (f *Finder) instructionSearch(scope Scope) prompt.InstructionSearch {
	s := scope.Settings
	where := prompt.InstructionSearch{
		Disk: f.Disk(), Cwd: scope.Cwd, Root: scope.Root, Home: f.opts.Home,
		Directories: slices.Concat(f.opts.InstructionDirectories, s.InstructionDirectories), Organization: s.Organization,
		Skip: s.SkipInstructions, Disabled: s.DisabledInstructions,
	}
	if s.DiscoverSkills {
		where.UserHome = f.claudeHome()
	}
	return where
}

// claudeHome is the folder whose .claude has instructions of the user; "" for none.
func (f *Finder) claudeHome() string {
	if f.opts.NoClaudeHome {
		return ""
	}
	return f.opts.UserHome
}

// Strange returns the files above the working directory of a scope that are not used because another
// user owns them; see [vfs.Strange].
func (f *Finder) Strange(scope Scope) []string {
	scope.Settings.DiscoverSkills = true
	return f.find(scope, nil).strange
}

func (f *Finder) strange(in *found) []string {
	_, git := f.repository(in.scope.Cwd)
	return slices.Concat(git, in.instructions.Strange, in.skills.Strange)
}

// Plugins returns the plugins of a scope: those that its client names, those of the host and,
// if the client wants what is configured on this machine, those that the user has installed.
// A folder that is no plugin is left out; problems returns why.
func (f *Finder) Plugins(scope Scope) (list []plugin.Plugin, problems []error) {
	if f.opts.Plugins == nil {
		return nil, nil
	}
	list, problems = f.opts.Plugins.Explicit(scope.Settings.PluginDirectories, scope.Cwd)
	others, err := f.opts.Plugins.Active(scope.Settings.DiscoverSkills && !scope.Settings.NoInstalledPlugins)
	if err != nil {
		problems = append(problems, err)
	}
	return append(list, others...), problems
}

// Brought returns the folders whose files start or grant something in a scope, resolved: those of
// its plugins, and of the skills that its client names.
func (f *Finder) Brought(scope Scope) (dirs []string) {
	named := slices.Concat(scope.Settings.PluginDirectories, scope.Settings.SkillDirectories)
	if f.opts.Plugins != nil {
		list, _ := f.opts.Plugins.Active(scope.Settings.DiscoverSkills && !scope.Settings.NoInstalledPlugins) // what cannot be read is not used
		for _, p := range list {
			named = append(named, p.Dir)
		}
	}
	for _, dir := range named {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(scope.Cwd, dir)
		}
		if real := f.opts.Resolve(filepath.Clean(dir)); real != "" && !slices.Contains(dirs, real) {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// Linked returns where links lead that stand in the places of files that start or grant something in
// a scope, in the program's own folder or in the user's, resolved; brought are the folders of
// [Finder.Brought]. See [projectfiles.Linked].
func (f *Finder) Linked(scope Scope, brought []string) (ends []string) {
	fs, resolve := f.opts.FS, f.opts.Resolve
	for dir := scope.Cwd; ; dir = filepath.Dir(dir) { // a working directory can be deeper than the search
		ends = append(ends, projectfiles.Linked(fs, resolve, dir)...)
		if scope.Root == "" || dir == scope.Root || dir == filepath.Dir(dir) {
			break
		}
	}
	ends = append(ends, projectfiles.LinkedBelow(fs, resolve, cmp.Or(scope.Root, scope.Cwd))...)
	for _, dir := range brought {
		ends = append(ends, projectfiles.LinkedIn(fs, resolve, dir, projectfiles.Plugin, projectfiles.Client)...)
	}
	if f.opts.Home != "" {
		ends = append(ends, projectfiles.LinkedIn(fs, resolve, f.opts.Home, projectfiles.Home)...)
	}
	if f.opts.UserHome != "" {
		ends = append(ends, projectfiles.LinkedIn(fs, resolve, f.opts.UserHome, projectfiles.UserHome)...)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// pluginRoots returns the folders of the plugins of a scope.
func (f *Finder) pluginRoots(scope Scope) (dirs []string) {
	list, _ := f.Plugins(scope) // the client has been warned of problems
	for _, p := range list {
		dirs = append(dirs, p.Dir)
	}
	return dirs
}

func (f *Finder) pluginFolders(scope Scope) (folders []prompt.PluginSkills) {
	for _, root := range f.pluginRoots(scope) {
		for _, dir := range plugin.SkillFolders(f.opts.FS, root) {
			folders = append(folders, prompt.PluginSkills{Dir: dir, Plugin: root})
		}
	}
	return folders
}

// agentText returns the instructions of an agent, with the skills that it starts with.
// A skill that cannot be used is left out, and is one of the problems.
func (f *Finder) agentText(ctx context.Context, skills prompt.Skills, def agent.Definition) (text string, problems []string) {
	loaded, problems := f.Disk().Preload(ctx, skills, def.Skills)
	var texts []string
	for _, skill := range loaded {
		texts = append(texts, skill.Context())
	}
	return def.Instructions(texts...), problems
}
