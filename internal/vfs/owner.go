package vfs

import (
	"io/fs"
	"path/filepath"
)

// Strange reports whether a file above a working directory belongs to somebody who must not decide
// what the user's project is: another user of this machine could have put it there, as in /tmp. top
// is the folder of which name is a part, such as the one that has .git; name and every folder from
// it up to top count.
//
// The owner may be the user, or the administrator. For the administrator it may also be the user who
// has called sudo (SUDO_UID), or the owner of the working directory. What is in the working directory
// itself is never strange: the user has chosen it. It is false for what does not exist, and on
// systems without such owners.
//
// Source: safe.directory in git-config(1), which is as strict, and also refuses the administrator's.
func Strange(fsys FS, cwd, top, name string) bool {
	if top == cwd || !ownersCount || above(cwd, name) {
		return false
	}
	var here fs.FileInfo
	for path := name; ; path = filepath.Dir(path) {
		info, err := fsys.Stat(path)
		if err == nil && here == nil {
			if here, err = fsys.Stat(cwd); err != nil {
				return true // what cannot be compared is not used
			}
		}
		if err == nil && strange(info, here) {
			return true
		}
		if path == top || filepath.Dir(path) == path {
			return false
		}
	}
}

// above reports whether a folder is name, or contains it.
func above(folder, name string) bool {
	rel, err := filepath.Rel(folder, name)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
