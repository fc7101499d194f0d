package discovery

import (
	"path/filepath"
	"strings"

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
// none.
func (f *Finder) GitRoot(dir string) string {
	for dir != "" {
		if _, err := f.opts.FS.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
	return ""
}

// gitHead reads the branch and the remote of a repository; "" for a value that cannot be read. In a
// worktree .git is a file with the path of the real folder.
func gitHead(fsys vfs.FS, root string) (branch, repository string) {
	dir := filepath.Join(root, ".git")
	if link, err := fsys.ReadFile(dir); err == nil {
		dir = strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
	}
	if head, err := fsys.ReadFile(filepath.Join(dir, "HEAD")); err == nil {
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok {
			branch = name // a detached head is on no branch
		}
	}
	common := dir
	if link, err := fsys.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		common = filepath.Join(dir, strings.TrimSpace(string(link)))
	}
	if config, err := fsys.ReadFile(filepath.Join(common, "config")); err == nil {
		repository = ownerAndName(remote(string(config)))
	}
	return branch, repository
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
