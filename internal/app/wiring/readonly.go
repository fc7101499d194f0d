package wiring

import (
	"io/fs"
	"os"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// readOnly is a file system that refuses every change. The commands that only read use
// it, because a server may be writing the same logs.
type readOnly struct{ vfs.OS }

var _ vfs.FS = readOnly{}

func (r readOnly) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	if flag != os.O_RDONLY {
		return nil, refused("open", name)
	}
	return r.OS.OpenFile(name, flag, perm)
}

func (readOnly) MkdirAll(name string, _ fs.FileMode) error { return refused("mkdir", name) }
func (readOnly) Rename(name, _ string) error               { return refused("rename", name) }
func (readOnly) Remove(name string) error                  { return refused("remove", name) }
func (readOnly) RemoveAll(name string) error               { return refused("remove", name) }
func (readOnly) SyncDir(name string) error                 { return refused("sync", name) }

func (readOnly) Root(name string) (vfs.Rooted, error) { return nil, refused("root", name) }

func refused(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
}
