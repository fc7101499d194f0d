package vfs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Rooted is the tree below one directory, for names that come from outside. Names are
// relative to it, and no operation leaves it: not by "..", not by an absolute name, and
// not by a symbolic link, even if the link is made meanwhile. A name that would leave it
// is an error.
//
// Close closes it; files that were opened in it stay open.
type Rooted interface {
	FS
	io.Closer
}

// osRoot is an [os.Root] as a file system. It only adds the methods that os.Root lacks.
type osRoot struct{ *tree }

type tree = os.Root

// Root implements [FS].
func (OS) Root(dir string) (Rooted, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err // not r: a nil *os.Root in an interface is not nil
	}
	return osRoot{r}, nil
}

func (r osRoot) Root(dir string) (Rooted, error) {
	below, err := r.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return osRoot{below}, nil
}

func (r osRoot) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := openRegular(name, flag, func(flag int) (*os.File, error) { return r.tree.OpenFile(name, flag, perm) })
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (r osRoot) ReadFile(name string) ([]byte, error) {
	return readRegular(name, func(flag int) (*os.File, error) { return r.tree.OpenFile(name, flag, 0) })
}

func (r osRoot) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (r osRoot) SyncDir(dir string) error {
	d, err := r.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Stat()
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return notDir("syncdir", dir)
	case runtime.GOOS == "windows":
		return nil // Windows has no call for it; see syncDir
	}
	return ignoreUnsyncable(d.Sync())
}

// memRoot is the tree below a directory of a [Mem], which has no links.
type memRoot struct {
	mem *Mem
	dir string
}

// Root implements [FS].
func (m *Mem) Root(dir string) (Rooted, error) {
	info, err := m.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notDir("root", dir)
	}
	return memRoot{m, dir}, nil
}

func (memRoot) Close() error { return nil }

// in calls f with the full path of a name below the root, and removes the root's path
// from its error.
func (r memRoot) in(op, name string, f func(full string) error) error {
	if !filepath.IsLocal(name) {
		return pathError(op, name, errEscapes)
	}
	err := f(filepath.Join(r.dir, name))
	if e, ok := err.(*fs.PathError); ok {
		return pathError(e.Op, name, e.Err)
	}
	return err
}

func (r memRoot) Root(dir string) (below Rooted, err error) {
	err = r.in("root", dir, func(full string) error { below, err = r.mem.Root(full); return err })
	return below, err
}

func (r memRoot) OpenFile(name string, flag int, perm fs.FileMode) (f File, err error) {
	err = r.in("open", name, func(full string) error { f, err = r.mem.OpenFile(full, flag, perm); return err })
	return f, err
}

func (r memRoot) ReadFile(name string) (data []byte, err error) {
	err = r.in("open", name, func(full string) error { data, err = r.mem.ReadFile(full); return err })
	return data, err
}

func (r memRoot) Stat(name string) (info fs.FileInfo, err error) {
	err = r.in("stat", name, func(full string) error { info, err = r.mem.Stat(full); return err })
	return info, err
}

func (r memRoot) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = r.in("open", name, func(full string) error { entries, err = r.mem.ReadDir(full); return err })
	return entries, err
}

func (r memRoot) MkdirAll(name string, perm fs.FileMode) error {
	return r.in("mkdir", name, func(full string) error { return r.mem.MkdirAll(full, perm) })
}

func (r memRoot) Rename(oldname, newname string) error {
	return r.in("rename", oldname, func(from string) error {
		return r.in("rename", newname, func(to string) error { return r.mem.Rename(from, to) })
	})
}

func (r memRoot) Remove(name string) error {
	return r.in("remove", name, r.mem.Remove)
}

func (r memRoot) RemoveAll(name string) error {
	return r.in("removeall", name, r.mem.RemoveAll)
}

func (r memRoot) SyncDir(dir string) error {
	return r.in("syncdir", dir, r.mem.SyncDir)
}

// failRoot is the tree below a directory of a [Fail] file system.
type failRoot struct {
	*failFS
	io.Closer
}

// Root implements [FS]. The rule gets full names, as for every other operation.
func (f *failFS) Root(dir string) (r Rooted, err error) {
	err = f.do("root", dir, 0, func() error { r, err = f.fsys.Root(dir); return err })
	if err != nil {
		return nil, err
	}
	return failRoot{&failFS{fsys: r, ruling: f.ruling, at: filepath.Join(f.at, dir)}, r}, nil
}
