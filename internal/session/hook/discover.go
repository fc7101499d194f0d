package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// Listed is a hook of a file, as it is listed without a session.
type Listed struct {
	ID      string // stays the same until the file changes
	Kind    string
	Source  string // path of the file, or the name of the plugin
	Plugin  bool   // else of a repository
	Project string // as it was asked for; "" without a project
	Enabled bool
}

// Discover lists the hooks of the repositories in projects that the user trusts, and those of
// plugins. The warnings are about files and hooks that are left out.
func (o *Files) Discover(projects []string, plugins []Plugin) (list []Listed, warnings []string) {
	var unused found
	enabled := !o.off(&unused)
	warnings = unused.warnings
	add := func(project, source string, plugin bool, f found) {
		for i, c := range f.commands {
			key := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s\x00%d", project, source, c.file, c.kind, c.text, i)
			hash := sha256.Sum256([]byte(key))
			path := source
			if !plugin {
				path = filepath.Join(source, c.file)
			}
			list = append(list, Listed{hex.EncodeToString(hash[:16]), c.kind, path, plugin, project, enabled})
		}
		for _, w := range f.warnings {
			warnings = append(warnings, strings.TrimPrefix(project+": "+w, ": "))
		}
	}
	for _, project := range projects {
		var f found
		dir := folderOf(project)
		entries, err := o.FS.ReadDir(dir)
		switch {
		case err != nil: // most repositories have no such folder
		case o.untrusted(IfTrusted, project):
			f.warnings = append(f.warnings, dir+" is not read, because the folder is not trusted.")
		default:
			o.readFolder(&f, dir, project, entries, IfTrusted)
		}
		add(project, dir, false, f)
	}
	for _, p := range o.ofPlugins(plugins) {
		var f found
		o.readPlugin(&f, p, FileSearch{})
		add("", p.Name, true, f)
	}
	return list, warnings
}
