package hook

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// command is one hook of a file.
type command struct {
	peerfile.Hook
	file   string // the path of the file below root, for error messages
	root   string // the folder of the repository or plugin, or that of the user
	dir    string
	agreed bool // the user has to have agreed to the scripts that it names
	own    bool // it is the user's, and not the repository's
	env    map[string]string
}

// parse adds the hooks of one file; hooks of a kind keep their order. Their commands start in base.
func (f *found) parse(file projectfiles.Entry, path, root, base string, text []byte) {
	claude := strings.HasPrefix(file.Path, ".claude/")
	read, err := peerfile.ParseHooks(text, file.OfClaude())
	if err != nil {
		f.warn(path, "its hooks cannot be read: %v", err)
		return
	}
	for _, w := range read.Warnings {
		f.warn(path, "%s", w)
	}
	if len(read.Others) > 0 && !claude { // package discovery names those of Claude Code
		f.warn(path, "these have no effect: %.400s", strings.Join(read.Others, ", "))
	}
	for i, h := range read.List {
		if len(f.commands) >= maxCommands {
			f.warn(path, "%d hooks are left out, there are more than %d", len(read.List)-i, maxCommands)
			return
		}
		c := command{Hook: h, file: path, root: root, dir: h.Dir, own: file.In == projectfiles.Home}
		if !filepath.IsAbs(c.dir) {
			c.dir = filepath.Join(base, c.dir)
		}
		c.env = map[string]string{"CLAUDE_PROJECT_DIR": base}
		maps.Copy(c.env, h.Env)
		f.commands = append(f.commands, c)
	}
}

func (f *found) warn(file, format string, args ...any) {
	f.warnings = append(f.warnings, file+": "+fmt.Sprintf(format, args...)+".")
}
