package effects

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// NamedByGit returns the files and folders that the settings of the repository of a folder name as programs or
// as places of them, and that are in the repository's working folder: those of core.hooksPath, of filters, of
// core.fsmonitor and the like, and further settings (include.path). What hooks and further settings name need not
// exist. Git runs them at the user's next command, so who writes there acts then. The paths are
// absolute, with their links resolved. There are none if the settings are not understood; then every git
// command is unclear.
func NamedByGit(folder string) (paths []string) {
	b := newBudget()
	b.covers(func() { paths = b.namedByGit(folder) })
	return paths
}

func (b *budget) namedByGit(folder string) (paths []string) {
	top, git := b.realPath(folder), ""
	for ; ; top = filepath.Dir(top) {
		var why string
		if git, why = b.gitFolder(top); why != "" || git == "" && top == filepath.Dir(top) {
			return nil
		}
		if git != "" {
			break
		}
	}
	common, ok := b.commonFolder(git)
	if !ok {
		return nil
	}
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree")} {
		text, err := b.readSmall(file, maxSettings)
		settings, ok := gitSettings(text)
		if err != nil || !ok {
			continue
		}
		for _, s := range settings {
			if base := top; s.name() == "core.hookspath" || s.key == "path" && (s.section == "include" || s.section == "includeif") {
				if s.name() != "core.hookspath" {
					base = filepath.Dir(file)
				}
				// git obeys it also if it is made only later
				if path := b.realPath(from(base, s.value)); isBelow(top, path) && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
				continue
			}
			if s.harmless() {
				continue
			}
			for _, word := range strings.FieldsFunc(s.value, func(c rune) bool { return strings.ContainsRune(" \t\"';|&()<>!=`$", c) }) {
				path := b.realPath(from(top, word))
				if _, err := os.Lstat(path); err == nil && isBelow(top, path) && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}

// isBelow reports whether a path is in a folder, and not the folder itself or its .git.
func isBelow(folder, path string) bool {
	rest, in := strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	return in && rest != ".git" && !strings.HasPrefix(rest, ".git/")
}
