package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// repository is the git repository that a folder is in.
type repository struct {
	root    string   // the folder of its files
	folders []string // .git, or for a linked worktree its own folder and the shared one
	link    string   // the file .git of a linked worktree; "" otherwise
}

// repositoryOf finds the repository that holds a folder. ok is false if there is none.
func repositoryOf(folder string) (r repository, ok bool) {
	for at := folder; ; at = filepath.Dir(at) {
		name := filepath.Join(at, ".git")
		info, err := os.Lstat(name)
		switch {
		case err == nil && info.IsDir():
			return repository{root: at, folders: []string{name}}, true
		case err == nil && info.Mode().IsRegular():
			return linked(at, name)
		case at == filepath.Dir(at):
			return repository{}, false
		}
	}
}

// repositories returns the git repositories that hold an allowed folder, and those whose root is
// in Write.
func (p Policy) repositories() (all []repository) {
	for _, folder := range p.allowed() {
		if r, ok := repositoryOf(folder); ok && (r.root == folder || slices.Contains(p.Folders, folder)) {
			all = append(all, r)
		}
	}
	return all
}

// linked reads the file .git of a linked worktree or a submodule, which names its folder. That
// folder must name the file in turn, so that a file in a project cannot bring any folder of
// the machine into the sandbox. Source: gitrepository-layout(5).
func linked(root, name string) (repository, bool) {
	own, ok := pathIn(name, "gitdir: ")
	if !ok {
		return repository{}, false
	}
	r := repository{root: root, folders: []string{own}, link: name}
	if back, ok := pathIn(filepath.Join(own, "gitdir"), ""); ok && back == name {
		if shared, ok := pathIn(filepath.Join(own, "commondir"), ""); ok && filepath.Dir(own) == filepath.Join(shared, "worktrees") && isGitFolder(shared) && !within(shared, root) {
			r.folders = append(r.folders, shared)
		}
		return r, true
	}
	if above, ok := repositoryOf(filepath.Dir(root)); ok && len(above.folders) > 0 && within(filepath.Join(above.folders[0], "modules"), own) {
		return r, true // a submodule
	}
	return repository{}, false
}

// isGitFolder reports whether a folder looks like that of a repository, as git itself checks.
func isGitFolder(folder string) bool {
	head, err := os.Lstat(filepath.Join(folder, "HEAD"))
	return err == nil && head.Mode().IsRegular() && isFolder(filepath.Join(folder, "objects")) && isFolder(filepath.Join(folder, "refs"))
}

// maxPointer bounds a file of git that holds one path, in bytes.
const maxPointer = 8 << 10

// pathIn returns the path that is the only line of a file, after a prefix, with its links
// resolved. A relative one begins at the file's folder.
func pathIn(file, prefix string) (string, bool) {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return "", false
	}
	text, err := vfs.OS{}.ReadFile(file) // which does not wait, should it have become a pipe
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// gitExecutable are what in a folder of git makes git run programs or read elsewhere. What of it
// exists when a sandbox starts is read-only in it, even for git commands that may write.
var gitExecutable = []string{"config", "config.worktree", "commondir", "gitdir", "hooks", "info", "modules", "worktrees"}

// mounts gives access to the folders of a repository.
func (r repository) mounts(git bool) []mount {
	var all []mount
	for _, folder := range r.folders {
		all = append(all, mount{path: folder, access: readable, pinned: true})
		if !git || r.link != "" {
			continue // in a worktree, what is missing in the shared folder could not be protected
		}
		all[len(all)-1].access = writable
		for _, name := range gitExecutable {
			protected := filepath.Join(folder, name)
			if exists(protected) {
				all = append(all, mount{path: protected, access: readable})
			}
		}
	}
	if r.link != "" {
		all = append(all, mount{path: r.link, access: readable})
	}
	return all
}
