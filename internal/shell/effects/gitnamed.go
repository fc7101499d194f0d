package effects

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// NamedByGit returns the files and folders that the settings of the repository of a folder name as programs or
// as places of them, and that are in the repository's working folder: those of core.hooksPath, of filters, of
// core.fsmonitor and the like, and further settings (include.path). They need not exist. Git runs them at the user's next command, so who writes there acts then. The settings of the user count as
// well; home is the user's folder, "" for none. Of settings that are not understood every such word counts. The paths are
// absolute, with their links resolved.
func NamedByGit(folder, home string) (paths []string) {
	b := newBudget()
	b.covers(func() { paths = b.namedByGit(folder, home) })
	return paths
}

func (b *budget) namedByGit(folder, home string) []string {
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
	files := []string{filepath.Join(common, "config"), filepath.Join(git, "config.worktree")}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	n := named{budget: b, top: top}
	for _, file := range files {
		text, err := b.readSmall(file, maxSettings)
		if err != nil {
			continue
		}
		settings, ok := gitSettings(text)
		if !ok {
			n.words(text)
		}
		for _, s := range settings {
			n.setting(file, s)
		}
	}
	return n.paths
}

// named collects what settings name in the working folder of a repository.
type named struct {
	*budget
	top   string
	paths []string
}

// setting adds what one setting of a file names.
func (n *named) setting(file string, s gitSetting) {
	switch {
	case s.name() == "core.hookspath": // git obeys it also if it is made only later
		n.add(from(n.top, s.value))
	case s.key == "path" && (s.section == "include" || s.section == "includeif"):
		n.add(from(filepath.Dir(file), s.value))
	case !s.harmless():
		n.words(s.value)
	}
}

// words adds the words of a text that name something that exists, or that can only be names of files.
func (n *named) words(text string) {
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>!=`$", c) }) {
		path := from(n.top, word)
		if _, err := os.Lstat(path); err == nil || isNameOfFile(word) {
			n.add(path)
		}
	}
}

// isNameOfFile reports whether a word of a command is the name of a file that need not exist: it has a folder or an ending.
func isNameOfFile(word string) bool {
	return strings.ContainsAny(word, "/.") && strings.Trim(word, "./") != "" && !strings.HasPrefix(word, "-") && !strings.ContainsAny(word, ":%*@{}\\")
}

func (n *named) add(path string) {
	if path = n.realPath(path); isBelow(n.top, path) && !slices.Contains(n.paths, path) {
		n.paths = append(n.paths, path)
	}
}

// isBelow reports whether a path is in a folder, and not the folder itself or its .git.
func isBelow(folder, path string) bool {
	rest, in := strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	return in && rest != ".git" && !strings.HasPrefix(rest, ".git/")
}
