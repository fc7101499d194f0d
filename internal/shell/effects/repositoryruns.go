package effects

import (
	"os"
	"path/filepath"
	"strings"
)

// RepositoryRuns says why git may run a program, or read files elsewhere, because of a repository that a command
// has made: "" if it does not. path is .git in a working folder, or HEAD in a folder that git takes for the
// folder of a repository. It looks at the settings, at all hooks, and at the submodules. What it does not
// understand is a reason.
func RepositoryRuns(path string) (why string) {
	b := newBudget()
	if !b.covers(func() { why = b.repositoryRuns(path) }) {
		return "it would take too long to find out what is in it"
	}
	return why
}

func (b *budget) repositoryRuns(path string) string {
	dir, name := filepath.Split(path)
	r := &repository{top: filepath.Clean(dir), made: true, visit: &gitVisit{budget: b, left: maxSubmodules}}
	switch info, err := os.Lstat(path); {
	case os.IsNotExist(err):
		return ""
	case err != nil:
		return "it cannot be read"
	case info.Mode()&os.ModeSymlink != 0:
		return "it is a symbolic link, which git makes only with an old setting"
	}
	switch name {
	case "HEAD":
		r.git, r.bare = r.top, true
	case ".git":
		var why string
		if r.git, why = b.gitFolder(r.top); r.git == "" || why != "" {
			return why
		}
	default:
		return "some file systems take its name for one of git"
	}
	if info, err := os.Lstat(path); err == nil && (r.bare || info.IsDir()) {
		if _, err := os.Lstat(filepath.Join(r.git, "commondir")); err == nil {
			return "its settings are elsewhere, which git makes only in worktrees"
		}
	}
	if why := r.check(); why != "" {
		return why
	}
	for _, hooks := range r.hooks {
		if name := hookIn(hooks); name != "" {
			return "git would run the hook " + name + " in " + hooks
		}
	}
	for _, name := range []string{"rebase-merge", "rebase-apply", "sequencer"} {
		if _, err := os.Lstat(filepath.Join(r.git, name)); err == nil {
			return "it is in the middle of a rebase, whose next steps can run programs"
		}
	}
	return ""
}

// hookIn returns the name of a hook in a folder, "" if it has only the samples that git makes.
func hookIn(folder string) string {
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return "(they cannot be listed)"
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			return e.Name()
		}
	}
	return ""
}
