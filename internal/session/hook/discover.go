package hook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Listed is a hook of a file, as it is listed without a session.
type Listed struct {
	ID      string // stays the same until the file changes
	Kind    string
	Source  string // path of the file, or the name of the plugin
	Plugin  bool   // else of a repository or of the user
	Project string // as it was asked for; "" without a project
	Enabled bool
}

// Discover lists the hooks of the repositories in projects that the user trusts, and those of
// plugins. The warnings are about files and hooks that are left out.
func (o *Files) Discover(projects []string, plugins []Plugin) (list []Listed, warnings []string) {
	var unused found
	enabled := !o.off(&unused)
	warnings = unused.warnings
	add := func(project, folder, plugin string, f found) {
		for i, c := range f.commands {
			key := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s\x00%d", project, cmp.Or(plugin, folder), c.file, c.Kind, c.Text, i)
			hash := sha256.Sum256([]byte(key))
			source := cmp.Or(plugin, filepath.Join(folder, filepath.FromSlash(c.file)))
			list = append(list, Listed{hex.EncodeToString(hash[:16]), c.Kind, source, plugin != "", project, enabled})
		}
		for _, w := range f.warnings {
			warnings = append(warnings, strings.TrimPrefix(project+": "+w, ": "))
		}
	}
	for _, project := range projects {
		var f found
		files := o.filesIn(projectfiles.Root, project)
		switch {
		case len(files) == 0:
		case o.untrusted(IfTrusted, project):
			f.warnings = append(f.warnings, "its files with hooks are not read, because the folder is not trusted.")
		default:
			o.readFiles(&f, files, project, project, IfTrusted)
		}
		add(project, project, "", f)
	}
	var own found
	o.readFiles(&own, o.filesIn(projectfiles.Home, o.Home), o.Home, o.Home, On)
	add("", o.Home, "", own)
	for _, p := range o.ofPlugins(plugins) {
		var f found
		o.readPlugin(&f, p, FileSearch{})
		add("", p.Dir, p.Name, f)
	}
	return list, warnings
}
