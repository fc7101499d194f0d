package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Tree is what a storage of files may have besides [Files]: folders that exist by themselves.
// [Folder] has it. Names are those of Files.
type Tree interface {
	// Stat describes a file or folder.
	Stat(ctx context.Context, name string) (Entry, error)
	// Mkdir makes a folder; parents, also those above it. An existing folder is an error
	// unless parents.
	Mkdir(ctx context.Context, name string, parents bool) error
	// RemoveTree removes a file or a folder, with its content only if all.
	RemoveTree(ctx context.Context, name string, all bool) error
	// Rename gives a file or folder another name, and replaces a file that has it.
	Rename(ctx context.Context, from, to string) error
}

// Entry describes a file or folder.
type Entry struct {
	Dir      bool
	Regular  bool
	Size     int64 // bytes
	Modified time.Time
}

// tree returns the storage if it has folders.
func (w *Workspace) tree(op string) (Tree, error) {
	t, ok := w.files.(Tree)
	if !ok {
		return nil, fault.New(fault.Unavailable, op, w.session, "the storage of this session's files has no folders")
	}
	return t, nil
}

// Stat describes a file or folder in the workspace files directory. Errors are those of
// [Workspace.Read].
func (w *Workspace) Stat(ctx context.Context, name string) (e Entry, err error) {
	const op = "session.workspaces.statFile"
	local, err := fileName(name)
	if err != nil {
		return e, w.invalid(op, err)
	}
	t, err := w.tree(op)
	if err != nil {
		return e, err
	}
	e, err = t.Stat(ctx, path.Join(filesFolder, local))
	return e, w.fail(op, quoted(local), err)
}

// Mkdir makes a folder in the workspace files directory; parents, also those above it.
func (w *Workspace) Mkdir(ctx context.Context, name string, parents bool) error {
	return w.arrange("session.workspaces.createDirectory", name, func(t Tree, local string) error {
		return t.Mkdir(ctx, local, parents)
	})
}

// RemovePath removes a file or folder from the workspace files directory, a folder that is not
// empty only if all. If force, a missing path is no error. recorded is called with the clean name once it is removed.
func (w *Workspace) RemovePath(ctx context.Context, name string, all, force bool, recorded func(name string) error) error {
	return w.arrange("session.workspaces.removePath", name, func(t Tree, local string) error {
		err := t.RemoveTree(ctx, local, all)
		if force && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return recorded(path.Clean(filepath.ToSlash(name)))
	})
}

// Rename gives a file or folder in the workspace files directory another name.
func (w *Workspace) Rename(ctx context.Context, from, to string, recorded func(from, to string) error) error {
	const op = "session.workspaces.renamePath"
	target, err := fileName(to)
	if err != nil {
		return w.invalid(op, err)
	}
	return w.arrange(op, from, func(t Tree, local string) error {
		if err := t.Rename(ctx, local, path.Join(filesFolder, target)); err != nil {
			return err
		}
		return recorded(path.Clean(filepath.ToSlash(from)), target)
	})
}

// arrange changes the names in the workspace files directory.
func (w *Workspace) arrange(op, name string, f func(t Tree, local string) error) error {
	local, err := fileName(name)
	if err != nil {
		return w.invalid(op, err)
	}
	t, err := w.tree(op)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.fail(op, quoted(local), f(t, path.Join(filesFolder, local)))
}

// Stat implements [Tree].
func (d Folder) Stat(ctx context.Context, name string) (e Entry, err error) {
	err = d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		info, err := dir.Stat(local)
		if err == nil {
			e = Entry{Dir: info.IsDir(), Regular: info.Mode().IsRegular(), Size: info.Size(), Modified: info.ModTime()}
		}
		return err
	})
	return e, err
}

// Mkdir implements [Tree].
func (d Folder) Mkdir(ctx context.Context, name string, parents bool) error {
	if err := vfs.MkdirAllSync(d.FS, d.Dir, 0o700); err != nil {
		return err
	}
	return d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		if !parents {
			if _, err := dir.Stat(local); err == nil {
				return fs.ErrExist
			}
			parent := filepath.Dir(local)
			if _, err := dir.Stat(parent); err != nil && filepath.ToSlash(parent) != filesFolder {
				return err
			}
		}
		return vfs.MkdirAllSync(dir, local, 0o700)
	})
}

// RemoveTree implements [Tree].
func (d Folder) RemoveTree(ctx context.Context, name string, all bool) error {
	return d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		if _, err := dir.Stat(local); err != nil {
			return err
		}
		remove := dir.Remove
		if all {
			remove = dir.RemoveAll
		}
		if err := remove(local); err != nil {
			return err
		}
		return dir.SyncDir(filepath.Dir(local))
	})
}

// Rename implements [Tree].
func (d Folder) Rename(ctx context.Context, from, to string) error {
	return d.inside(ctx, from, func(dir vfs.Rooted, local string) error {
		target := filepath.FromSlash(to)
		if err := dir.Rename(local, target); err != nil {
			return err
		}
		return errors.Join(dir.SyncDir(filepath.Dir(local)), dir.SyncDir(filepath.Dir(target)))
	})
}
