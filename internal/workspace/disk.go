package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Disk is a [Store] that keeps files in folders.
type Disk struct {
	FS vfs.FS
	// Dir returns the folder of a session. The folder may not exist: the first write creates
	// it.
	Dir func(session string) string
}

// Files implements [Store].
func (d Disk) Files(session string) Files { return Folder{d.FS, d.Dir(session)} }

// Folder implements [Files] in one folder.
type Folder struct {
	FS  vfs.FS
	Dir string
}

// inside runs f in the folder that contains name; local is the name there. Links are
// followed within d, but not out of it.
func (d Folder) inside(ctx context.Context, name string, f func(dir vfs.Rooted, local string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a valid file name here", name)
	}
	dir, err := d.FS.Root(d.Dir)
	if err != nil {
		return err
	}
	return errors.Join(f(dir, filepath.FromSlash(name)), dir.Close())
}

// Read implements [Files].
func (d Folder) Read(ctx context.Context, name string, limit int64) (data []byte, err error) {
	err = d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		data, err = read(dir, local, limit)
		return err
	})
	return data, err
}

func read(dir vfs.Rooted, name string, limit int64) ([]byte, error) {
	info, err := dir.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	file, err := dir.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only a lock; nothing was written to it
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = tooLong(limit)
	}
	return data, err
}

func tooLong(limit int64) error { return fmt.Errorf("it has more than %d bytes", limit) }

// Write implements [Files].
func (d Folder) Write(ctx context.Context, name string, data []byte, w Durability) (created bool, err error) {
	if _, err := d.FS.Stat(d.Dir); errors.Is(err, fs.ErrNotExist) {
		if err := vfs.MkdirAllSync(d.FS, d.Dir, 0o700); err != nil {
			return false, err
		}
	}
	err = d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		info, err := dir.Stat(local)
		if created = err != nil; !created && info.IsDir() {
			return errors.New("it is a directory")
		}
		if w == Derived {
			return replace(dir, local, data)
		}
		if parent := filepath.Dir(local); parent != "." {
			if err := vfs.MkdirAllSync(dir, parent, 0o700); err != nil {
				return err
			}
		}
		return vfs.WriteFileAtomic(dir, local, data, 0o600)
	})
	return created, err
}

// replace does the same as [vfs.WriteFileAtomic] without syncing to disk.
func replace(dir vfs.Rooted, name string, data []byte) error {
	if parent := filepath.Dir(name); parent != "." {
		if err := dir.MkdirAll(parent, 0o700); err != nil {
			return err
		}
	}
	f, err := dir.OpenFile(name+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = dir.Remove(name + ".tmp") // the first error is returned
		return err
	}
	return dir.Rename(name+".tmp", name)
}

// Remove implements [Files].
func (d Folder) Remove(ctx context.Context, name string) error {
	return d.inside(ctx, name, func(dir vfs.Rooted, local string) error {
		if err := dir.Remove(local); err != nil {
			return err
		}
		return dir.SyncDir(filepath.Dir(local))
	})
}

// List implements [Files]. Links are not followed.
func (d Folder) List(ctx context.Context, folder string, limit int) (list []Info, err error) {
	err = d.inside(ctx, folder, func(dir vfs.Rooted, local string) error {
		return walk(dir, local, "", limit, &list)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// maxDepth bounds the depth of nested folders.
const maxDepth = 100

func walk(dir vfs.Rooted, at, prefix string, limit int, list *[]Info) error {
	entries, err := dir.ReadDir(at)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if len(*list) >= limit {
			return nil
		}
		name := path.Join(prefix, e.Name())
		switch {
		case e.Type().IsRegular():
			if info, err := e.Info(); err == nil { // otherwise the file was removed in the meantime
				*list = append(*list, Info{Name: name, Size: info.Size()})
			}
		case e.IsDir() && strings.Count(name, "/") < maxDepth:
			err := walk(dir, filepath.Join(at, e.Name()), name, limit, list)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Path implements [Files].
func (d Folder) Path(name string) string { return filepath.Join(d.Dir, filepath.FromSlash(name)) }
