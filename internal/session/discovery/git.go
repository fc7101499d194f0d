package discovery

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Locate returns where a session works: the directory in its client's configuration,
// otherwise fallback, and the git repository that contains it. The repository is read from
// its files: no git program runs, because creating a session must be quick and harmless.
func (f *Finder) Locate(cfg wire.Config, otherwise string) wire.SessionContext {
	c := wire.SessionContext{Cwd: otherwise}
	if cfg.WorkingDirectory != "" {
		c.Cwd = cfg.WorkingDirectory
		if !filepath.IsAbs(c.Cwd) {
			c.Cwd = filepath.Join(f.opts.Cwd, c.Cwd)
		}
	}
	if cfg.GitOperations == nil || *cfg.GitOperations {
		c.GitRoot = f.GitRoot(c.Cwd)
	}
	if c.GitRoot != "" {
		c.Branch, c.Repository = gitHead(f.opts.FS, c.GitRoot)
	}
	return c
}

// GitRoot returns the nearest folder at or above dir that contains .git, "" if there is
// none. One above dir that is [vfs.Strange] does not count.
func (f *Finder) GitRoot(dir string) string {
	root, _ := f.repository(dir)
	return root
}

// repository is GitRoot that also returns the .git that do not count, the nearest first.
func (f *Finder) repository(cwd string) (root string, strange []string) {
	if cwd == "" {
		return "", nil
	}
	for dir := cwd; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, projectfiles.GitFolder)
		if _, err := f.opts.FS.Stat(git); err == nil {
			if !vfs.Strange(f.opts.FS, cwd, dir, git) {
				return dir, strange
			}
			strange = append(strange, git)
		}
		if filepath.Dir(dir) == dir {
			return "", strange
		}
	}
}

// maxGitFile bounds each file of a repository that is read, in bytes. The configuration of a
// repository with thousands of branches stays below it.
const maxGitFile = 1 << 20

// gitHead reads the branch and the remote of a repository; "" for a value that cannot be read. In a
// worktree .git is a file with the path of the real folder.
func gitHead(fsys vfs.FS, root string) (branch, repository string) {
	dir := filepath.Join(root, projectfiles.GitFolder)
	if link, ok := readGitFile(fsys, dir); ok {
		if link, ok = strings.CutPrefix(link, "gitdir:"); !ok {
			return "", ""
		}
		if dir = strings.TrimSpace(link); elsewhere(dir, root) {
			return "", ""
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
	}
	if head, ok := readGitFile(fsys, filepath.Join(dir, "HEAD")); ok {
		if name, ok := strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/"); ok && isRef(name) {
			branch = name // a detached head is on no branch
		}
	}
	common := dir
	if link, ok := readGitFile(fsys, filepath.Join(dir, "commondir")); ok {
		common = filepath.Join(dir, strings.TrimSpace(link))
	}
	if config, ok := readGitFile(fsys, filepath.Join(common, "config")); ok {
		if name := ownerAndName(remote(config)); isRef(name) {
			repository = name
		}
	}
	return branch, repository
}

// elsewhere reports whether a path leads to another machine than root does. Windows connects to
// \\HOST\SHARE when such a path is opened, and signs the user in there.
func elsewhere(path, root string) bool {
	if len(path) < 2 || !strings.ContainsRune(`/\`, rune(path[0])) || !strings.ContainsRune(`/\?`, rune(path[1])) {
		return false
	}
	volume := filepath.VolumeName(root)
	return volume == "" || !strings.EqualFold(filepath.VolumeName(path), volume)
}

// maxRef bounds the name of a branch, in bytes: file systems have no longer ones.
const maxRef = 255

// isRef reports whether git accepts a name for a branch. Other names are lines of text, or what a
// terminal obeys. Source: git-check-ref-format(1).
func isRef(name string) bool {
	bad := func(r rune) bool { return r <= ' ' || !unicode.IsPrint(r) || strings.ContainsRune(`~^:?*[\`, r) }
	return name != "" && len(name) <= maxRef && utf8.ValidString(name) && !strings.ContainsFunc(name, bad) && !strings.Contains(name, "..")
}

// readGitFile reads a file of a repository. It reports false if the file cannot be read or is
// longer than [maxGitFile].
func readGitFile(fsys vfs.FS, name string) (string, bool) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	return string(data), err == nil && len(data) <= maxGitFile
}

// remote returns the URL of the remote named origin in a git configuration.
func remote(config string) string {
	inside := false
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = line == `[remote "origin"]`
			continue
		}
		if key, value, ok := strings.Cut(line, "="); inside && ok && strings.TrimSpace(key) == "url" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// ownerAndName returns the last two parts of a remote's path, as in
// https://host/owner/name.git and git@host:owner/name.git.
func ownerAndName(url string) string {
	url = strings.TrimSuffix(strings.TrimSuffix(url, "/"), ".git")
	if _, path, ok := strings.Cut(url, "://"); ok {
		_, url, _ = strings.Cut(path, "/")
	} else if _, path, ok := strings.Cut(url, ":"); ok {
		url = path
	} else {
		return "" // a path on this machine
	}
	parts := strings.Split(url, "/")
	if len(parts) < 2 {
		return ""
	}
	return strings.Join(parts[len(parts)-2:], "/")
}
