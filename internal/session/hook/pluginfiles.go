package hook

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Plugin is a plugin whose hooks.json, or hooks/hooks.json, is read like the file of a
// repository. Its folder must be trusted by itself.
type Plugin struct{ Name, Dir string }

// OfPlugins returns the plugins as this package knows them.
func OfPlugins(list []plugin.Plugin) (out []Plugin) {
	for _, p := range list {
		out = append(out, Plugin{Name: p.Name, Dir: p.Dir})
	}
	return out
}

// ofPlugins returns those of the plugins that have a file with hooks, with the path of it as Dir.
func (o *Files) ofPlugins(plugins []Plugin) (files []pluginFile) {
	for _, p := range plugins {
		for _, e := range projectfiles.Of(projectfiles.Hooks, projectfiles.Plugin) {
			if _, err := o.FS.Stat(e.Below(p.Dir)); !errors.Is(err, fs.ErrNotExist) { // of any other error reading says more
				files = append(files, pluginFile{p, e})
				break
			}
		}
	}
	return files
}

// pluginFile is the file of a plugin that has its hooks.
type pluginFile struct {
	Plugin
	projectfiles.Entry
}

// readPlugin reads the hooks of a plugin. Their commands start in its folder.
func (o *Files) readPlugin(f *found, p pluginFile, where FileSearch) {
	title := "plugin " + p.Name + ": "
	if o.untrusted(where.Switch, p.Dir) {
		f.warnings = append(f.warnings, title+"its hooks do not run, because the folder "+p.Dir+" is not trusted; trust it, or set enableFileHooks.")
		return
	}
	text, err := o.readFile(p.Below(p.Dir), p.Dir, where.Switch)
	if err != nil {
		f.warnings = append(f.warnings, fmt.Sprintf("%s%s: %v.", title, p.Path, err))
		return
	}
	g := found{commands: f.commands, looked: len(f.commands)}
	g.parse(p.Entry, p.Path, p.Dir, p.Dir, text)
	o.agreed(&g, where.Switch)
	for i := len(f.commands); i < len(g.commands); i++ {
		c := &g.commands[i]
		c.env = withPlugin(c.env, p.Dir)
		c.env["CLAUDE_PROJECT_DIR"] = cmp.Or(where.Root, where.Cwd)
	}
	for _, w := range g.warnings {
		f.warnings = append(f.warnings, title+w)
	}
	f.commands, f.looked = g.commands, len(g.commands)
}

// withPlugin adds the variables by which the commands of plugins find their own files.
func withPlugin(env map[string]string, dir string) map[string]string {
	out := map[string]string{"CLAUDE_PLUGIN_ROOT": dir, "PLUGIN_ROOT": dir}
	maps.Copy(out, env)
	return out
}
