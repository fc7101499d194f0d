package vfs

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// Rename gives a file or directory a new name and replaces a file that has this name.
//
// If only one of the two directories is synced before a crash, a file moved between them
// exists afterwards under both names or under none.
func (m *Mem) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.rename(oldname, newname); err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

func (m *Mem) rename(oldname, newname string) error {
	moved, err := m.root.find(split(oldname))
	if err != nil {
		return err
	}
	if moved.isDir() && isBelow(newname, oldname) {
		return syscall.EINVAL // a directory cannot move into itself
	}
	if err := m.mayReplace(moved, newname); err != nil {
		return err
	}
	from, oldbase, err := m.root.findDir(oldname)
	if err != nil {
		return err
	}
	to, newbase, err := m.root.findDir(newname)
	if err != nil {
		return err
	}
	from.unlink(oldbase)
	to.link(newbase, moved)
	return nil
}

// mayReplace returns an error if moved cannot take this name.
func (m *Mem) mayReplace(moved *node, name string) error {
	there, err := m.root.find(split(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case there.isDir():
		return fs.ErrExist
	case moved.isDir():
		return syscall.ENOTDIR
	}
	return nil
}

// isBelow reports whether name is inside dir; dir is not inside itself.
func isBelow(name, dir string) bool {
	n, d := split(name), split(dir)
	return len(n) > len(d) && slices.Equal(n[:len(d)], d)
}
