package effects

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSubmodules bounds how many submodules of a repository are checked.
const maxSubmodules = 256

// gitVisit is what has been found while the repositories of one command are looked at.
type gitVisit struct {
	*budget
	left      int      // how many more submodules may be checked
	elsewhere []string // folders of git that are not the .git of their working folder, links followed
}

// repository is a repository of git on the disk.
type repository struct {
	git    string   // the folder with its HEAD
	top    string   // its working folder
	common string   // the folder that its worktrees share: git itself, but for a worktree
	long   bool     // its objects are named by SHA-256
	bare   bool     // it may have no working folder
	made   bool     // a command has made it, so that aliases are not the user's
	hooks  []string // the folders with its hooks, after check
	visit  *gitVisit
}

// gitFolder returns the repository that .git in a folder stands for, "" if git finds none
// there and looks in the next folder. why says what is wrong if that is not certain.
func (b *budget) gitFolder(dir string) (git, why string) {
	git = filepath.Join(dir, ".git")
	if _, err := os.Lstat(git); os.IsNotExist(err) {
		return "", ""
	}
	info, err := os.Stat(git)
	if err != nil {
		return "", git + " cannot be read"
	}
	if !info.IsDir() {
		text, err := b.readSmall(git, maxSettings)
		to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
		if err != nil || !ok || to == "" || strings.ContainsAny(to, "\r\n\x00") {
			return "", git + " is not understood"
		}
		if !filepath.IsAbs(to) {
			to = dir + string(filepath.Separator) + to
		}
		git = b.realPath(to)
	} else if _, err := os.Lstat(filepath.Join(git, "HEAD")); os.IsNotExist(err) {
		return "", ""
	}
	common, ok := b.commonFolder(git)
	if !ok || !b.validHead(filepath.Join(git, "HEAD")) || !isFolder(filepath.Join(common, "objects")) || !isFolder(filepath.Join(common, "refs")) {
		return "", git + " is not certain to be a repository"
	}
	return git, ""
}

// validHead reports whether git would certainly accept a file as the HEAD of a repository.
func (b *budget) validHead(name string) bool {
	if to, err := os.Readlink(name); err == nil {
		return strings.HasPrefix(to, "refs/")
	}
	text, err := b.readSmall(name, maxSettings)
	text = strings.TrimSuffix(text, "\n")
	_, notHex := hex.DecodeString(text)
	return err == nil && (strings.HasPrefix(text, "ref: refs/") || notHex == nil && (len(text) == 40 || len(text) == 64))
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// commonFolder returns the folder that a repository shares with its worktrees.
func (b *budget) commonFolder(git string) (common string, ok bool) {
	text, err := b.readSmall(filepath.Join(git, "commondir"), maxSettings)
	if os.IsNotExist(err) {
		return git, true
	}
	to := strings.TrimRight(text, "\r\n")
	if err != nil || to == "" || strings.ContainsAny(to, "\r\n\x00") {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = git + string(filepath.Separator) + to
	}
	common = b.realPath(to)
	return common, common != ""
}

// gitOwnFiles are the files and folders of a repository that git reads even for a command that
// only reads. A symbolic link in their place can lead git to files elsewhere.
var gitOwnFiles = []string{
	"HEAD", "config", "config.worktree", "commondir", "packed-refs", "index", "shallow", "info", "info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout",
	"refs", "logs", "logs/HEAD", "objects", "objects/info", "objects/info/alternates",
}

// check says why the repository or one of its submodules may make git run a program, ""
// if it does not: it looks at its settings, and at the one hook that runs even when
// nothing is changed.
func (r *repository) check() string {
	var ok bool
	if r.common, ok = r.visit.commonFolder(r.git); !ok {
		return r.git + " is not certain to be a repository"
	}
	own := r.isLinkedWorktree()
	for _, folder := range []string{r.git, r.common} {
		if real := r.visit.realPath(folder); !own && real != filepath.Join(r.top, ".git") && !slices.Contains(r.visit.elsewhere, real) {
			r.visit.elsewhere = append(r.visit.elsewhere, real)
		}
		for _, name := range gitOwnFiles {
			r.visit.look(len(folder))
			if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && info.Mode()&os.ModeSymlink != 0 {
				return filepath.Join(folder, name) + " is a symbolic link, which git never makes"
			}
		}
	}
	r.hooks = []string{filepath.Join(r.common, "hooks")}
	for _, file := range []string{filepath.Join(r.common, "config"), filepath.Join(r.git, "config.worktree")} {
		text, err := r.visit.readSmall(file, maxSettings)
		settings, ok := gitSettings(text)
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil || !ok:
			return "git's settings in " + file + " are not understood"
		}
		for _, s := range settings {
			if why := r.setting(s); why != "" {
				return why + " in " + file
			}
			if s.name() == "core.hookspath" {
				r.hooks = append(r.hooks, from(r.top, s.value))
			}
		}
	}
	for _, dir := range r.hooks {
		if r.visit.realPath(dir) == "" {
			return "it is not certain where the hooks in " + dir + " are"
		}
		if _, err := os.Stat(dir + "/post-index-change"); err == nil || !absent(err, "") {
			return "git would run the hook post-index-change in " + dir
		}
	}
	return r.submodules()
}

// setting says why a setting is not known to be harmless, "" if it is.
func (r *repository) setting(s gitSetting) string {
	switch {
	case r.bare && (s.name() == "core.bare" || s.name() == "core.worktree" && strings.Contains(r.git, "/.git/modules/")):
		return "" // the repository of a submodule has its working folder elsewhere
	case !s.harmless(), r.made && s.section == "alias":
		return "git may run a program because of the setting " + s.name()
	case s.name() == "core.worktree" && r.visit.realPath(from(r.git, s.value)) != r.top:
		return "git would work in another folder because of the setting " + s.name()
	case s.name() == "extensions.objectformat":
		r.long = s.value == "sha256"
	}
	return ""
}

// isLinkedWorktree reports whether the shared repository, which is elsewhere, names this working folder as one of its
// own: what can write only here cannot have made that. Source: gitrepository-layout(5), worktrees/<id>/gitdir.
func (r *repository) isLinkedWorktree() bool {
	if filepath.Dir(r.git) != filepath.Join(r.common, "worktrees") {
		return false
	}
	text, err := r.visit.readSmall(filepath.Join(r.git, "gitdir"), maxSettings)
	named := strings.TrimSuffix(text, "\n")
	return err == nil && filepath.IsAbs(named) && r.visit.realPath(named) == filepath.Join(r.top, ".git")
}

// from returns a path that may begin in a folder.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// submodules checks the repositories in the working folder that git status and git diff
// visit, which are those that the index names.
func (r *repository) submodules() string {
	file := filepath.Join(r.git, "index")
	links, ok, err := r.visit.gitlinks(file, r.long)
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil || !ok {
		return "git's list of files in " + file + " is not understood"
	}
	for _, link := range links {
		top := r.visit.realPath(filepath.Join(r.top, link))
		git, why := r.visit.gitFolder(top)
		if git != "" && why == "" {
			if r.visit.left--; r.visit.left < 0 {
				return r.top + " has too many submodules"
			}
			why = (&repository{git: git, top: top, visit: r.visit}).check()
		}
		if why != "" {
			return why
		}
	}
	return ""
}
