package mcp

import (
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// FindInPlugin returns the servers in the .mcp.json of a plugin. In it ${CLAUDE_PLUGIN_ROOT} and
// ${PLUGIN_ROOT} are the plugin's folder.
func (f *Files) FindInPlugin(dir string) (found []Found, problems []string) {
	from := file{projectfiles.Paths(projectfiles.Servers, projectfiles.Plugin, dir)[0], fieldServers, "plugin", true}
	if _, err := f.FS.Stat(from.path); err != nil {
		return nil, nil // most plugins have none
	}
	if !f.inside(dir, from.path) {
		return nil, []string{from.path + " is left out: it is a link that leads out of the plugin"}
	}
	d, err := f.load(from)
	if err != nil {
		return nil, []string{from.unread(err)}
	}
	names := Files{Environ: func() []string {
		return append(slices.Clip(f.Environ()), "CLAUDE_PLUGIN_ROOT="+dir, "PLUGIN_ROOT="+dir)
	}}
	for _, name := range slices.Sorted(maps.Keys(d.servers)) {
		config, err := names.Expand(d.servers[name], "")
		if err != nil {
			problems = append(problems, "MCP server "+name+" of "+from.path+" is left out: "+err.Error())
			continue
		}
		found = append(found, Found{Name: name, Config: config, Written: d.servers[name], Path: from.path, Source: from.source})
	}
	return found, problems
}
