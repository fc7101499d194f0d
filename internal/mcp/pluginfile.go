package mcp

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// FindInPlugin returns the servers in the .mcp.json of a plugin. In it ${CLAUDE_PLUGIN_ROOT} and
// ${PLUGIN_ROOT} are the plugin's folder.
func (f *Files) FindInPlugin(dir string) (found []Found, problems []string) {
	path := filepath.Join(dir, projectFiles[0].name)
	if _, err := f.FS.Stat(path); err != nil {
		return nil, nil // most plugins have none
	}
	if !(permit.Folders{Primary: f.Resolve(dir)}).Contains(f.Resolve(path)) {
		return nil, []string{path + " is left out: it is a link that leads out of the plugin"}
	}
	all := map[string]Found{}
	if why := f.add(all, path, fieldServers, "plugin"); why != "" {
		problems = append(problems, why)
	}
	names := Files{Environ: func() []string {
		return append(slices.Clip(f.Environ()), "CLAUDE_PLUGIN_ROOT="+dir, "PLUGIN_ROOT="+dir)
	}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one := all[name]
		config, err := names.expand(one.Config, "")
		if err != nil {
			problems = append(problems, "MCP server "+name+" of "+path+" is left out: "+err.Error())
			continue
		}
		one.Config = config
		found = append(found, one)
	}
	return found, problems
}
