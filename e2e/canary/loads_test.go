//go:build linux

package canary_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// loader stands for a program that reads files of each folder that the user enters or opens, and
// runs what they say.
type loader struct {
	program string
	files   []string // patterns, relative to the folder
	acts    *regexp.Regexp
}

var (
	text     = regexp.MustCompile(`(?m)^\s*[^#\s;]`) // more than comments
	settingS = regexp.MustCompile(`(?i)path"|terminal\.|automatic|approve|executable|interpreter|command|shell|folderopen|"tasks"|hook|server|proxy|url`)
)

var loaders = []loader{
	{"direnv", []string{".envrc"}, text},
	{"mise", []string{"mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml", "mise/config.toml", ".mise/config.toml", ".config/mise.toml", ".config/mise/config.toml", ".config/mise/conf.d/*.toml", ".tool-versions"}, text},
	{"VS Code, tasks", []string{".vscode/tasks.json", "*.code-workspace"}, regexp.MustCompile(`folderOpen`)},
	{"VS Code, settings", []string{".vscode/settings.json", "*.code-workspace", ".vscode/mcp.json"}, settingS},
	{"IntelliJ", []string{".idea/*.xml", ".idea/*/*.xml", ".run/*.xml", ".fleet/*.json"}, text},
	{"Zed", []string{".zed/*.json"}, text},
	{"vim", []string{".nvim.lua", ".nvimrc", ".exrc", "_exrc", ".vimrc", ".lvimrc"}, text},
	{"Emacs", []string{".dir-locals.el", ".dir-locals-2.el"}, text},
	{"npm", []string{".npmrc"}, text},
	{"yarn", []string{".yarnrc.yml", ".yarnrc", ".yarnrc.yaml"}, text},
	{"pnpm and bun", []string{".pnpmfile.cjs", ".pnp.cjs", "bunfig.toml"}, text},
	{"agents", []string{
		".mcp.json", ".cursor/mcp.json", ".cursor/hooks.json", ".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json", ".codex/config.toml",
		".github/hooks/*.json", ".kiro/settings/*.json", "opencode.json", "crush.json", ".crush.json",
	}, text},
	{"dev containers", []string{".devcontainer/devcontainer.json", ".devcontainer.json", ".devcontainer/*/devcontainer.json", ".gitpod.yml"}, text},
}

// loads returns what programs would run by themselves in the folders of a project: for each file
// that one of them would obey, what is in it.
func loads(work string) map[string]string {
	all := map[string]string{}
	table := tableOf(permit.Rules{}.SandboxProtected())
	entries := 0
	_ = filepath.WalkDir(work, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		relative, _ := filepath.Rel(work, name)
		if d.IsDir() {
			if slices.Contains([]string{"objects", "refs", "logs"}, d.Name()) && strings.Contains(name, ".git/") {
				return fs.SkipDir
			}
			for _, l := range loaders {
				l.load(all, work, relative)
			}
		}
		if entries++; entries > 50_000 {
			return fs.SkipAll
		}
		if strings.HasPrefix(relative+"/", ".git/") || strings.Contains(relative, "/.git/") {
			return nil // git itself is asked
		}
		if _, gone := os.Stat(name); gone == nil && table.has(relative) { // a link that leads nowhere has nothing to load
			all["a program of the table: "+relative] = digest(name, 0)
		}
		return nil
	})
	return all
}

func (l loader) load(all map[string]string, work, folder string) {
	for _, pattern := range l.files {
		matches := []string{filepath.Join(work, folder, pattern)}
		if strings.Contains(pattern, "*") {
			matches, _ = filepath.Glob(filepath.Join(work, folder, pattern))
		}
		for _, file := range matches {
			if text, err := os.ReadFile(file); err == nil && l.acts.Match(text) && !strings.HasSuffix(file, ".untrusted") {
				relative, _ := filepath.Rel(work, file)
				all[l.program+": "+relative] = fmt.Sprintf("%x", sha256.Sum256(text))
			}
		}
	}
}

// loadsMore returns what programs would run now and not before.
func loadsMore(before, now map[string]string) (harm []string) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != before[name] {
			harm = append(harm, name)
		}
	}
	return harm
}

// nameTable are protected names by their last elements.
type nameTable struct {
	last map[string][]string
	open []string
}

func tableOf(names []string) nameTable {
	t := nameTable{last: map[string][]string{}}
	for _, name := range names {
		name = strings.ToLower(name)
		switch last := path.Base(name); {
		case name == ".git":
		case strings.ContainsAny(last, `*?[\`):
			t.open = append(t.open, name)
		default:
			t.last[last] = append(t.last[last], name)
		}
	}
	return t
}

// has reports whether a path has one of the names. What ends with untrusted is read by nobody, nor is what is
// in a folder that had one of the names.
func (t nameTable) has(relative string) bool {
	relative = strings.ToLower(filepath.ToSlash(relative))
	elements := strings.Split(relative, "/")
	for i, e := range elements {
		was, aside := strings.CutSuffix(e, ".untrusted")
		if aside && (i == len(elements)-1 || t.has(path.Join(append(slices.Clone(elements[:i]), was)...))) {
			return false
		}
	}
	return slices.ContainsFunc(slices.Concat(t.last[path.Base(relative)], t.open), func(name string) bool {
		n := strings.Count(name, "/") + 1
		if n > len(elements) {
			return false
		}
		ok, _ := path.Match(name, strings.Join(elements[len(elements)-n:], "/"))
		return ok
	})
}

// digest is what is in a file or folder, behind links.
func digest(name string, depth int) string {
	info, err := os.Stat(name)
	switch {
	case err != nil || depth > 8:
		return "nothing"
	case info.IsDir():
		entries, _ := os.ReadDir(name)
		text := "folder"
		for _, e := range entries {
			text += "\n" + e.Name() + " " + digest(filepath.Join(name, e.Name()), depth+1)
		}
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return info.Mode().String()
	}
	text, _ := os.ReadFile(name)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
