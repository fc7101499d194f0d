package vfs

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
)

// Mem is a file system in memory that knows which of its contents are durable. It is for
// tests: it behaves like [OS] until [Mem.Crash], which leaves what a power cut would
// leave by the rules of the package comment.
//
// All names begin at one root: "a/b", "/a/b" and "./a/../a/b" are the same file.
// Permissions are stored, but not enforced; to make operations fail, wrap it in [Fail].
// There are no links and no devices.
//
// Mem is safe for concurrent use. Make one with [NewMem].
type Mem struct {
	mu   sync.Mutex // guards the rest, and every node and handle below
	root *node
	life int // number of crashes; handles from before the last crash are unusable
}

var _ FS = (*Mem)(nil)

// NewMem returns an empty file system, which is only a root directory.
func NewMem() *Mem { return &Mem{root: newDir(0o755)} }

// OpenFile opens or creates a file. A directory is an error.
func (m *Mem) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.open(name, flag, perm)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &memFile{mem: m, node: n, name: name, flag: flag, life: m.life}, nil
}

func (m *Mem) open(name string, flag int, perm fs.FileMode) (*node, error) {
	create := flag&os.O_CREATE != 0
	n, err := m.root.find(split(name))
	switch {
	case create && errors.Is(err, fs.ErrNotExist):
		return m.create(name, perm)
	case err != nil:
		return nil, err
	case create && flag&os.O_EXCL != 0:
		return nil, fs.ErrExist
	case n.isDir():
		return nil, syscall.EISDIR
	case flag&os.O_TRUNC != 0:
		n.resize(0)
	}
	return n, nil
}

func (m *Mem) create(name string, perm fs.FileMode) (*node, error) {
	dir, base, err := m.root.findDir(name)
	if err != nil {
		return nil, err
	}
	n := newFile(perm)
	dir.link(base, n)
	return n, nil
}

// ReadFile returns a copy of the whole file.
func (m *Mem) ReadFile(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return append([]byte{}, n.data...), nil
}

// Stat describes a file or directory. The time is that of its last change.
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.root.find(split(name))
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n.info(name), nil
}

// ReadDir returns the entries of a directory, ordered by name.
func (m *Mem) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.dir(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	entries := make([]fs.DirEntry, 0, len(dir.kids))
	for _, kid := range slices.Sorted(maps.Keys(dir.kids)) {
		entries = append(entries, fs.FileInfoToDirEntry(dir.kids[kid].info(kid)))
	}
	return entries, nil
}

// MkdirAll makes a directory and its missing parents.
func (m *Mem) MkdirAll(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for _, part := range split(name) {
		if n.kids[part] == nil && n.isDir() {
			n.link(part, newDir(perm))
		}
		n = n.kids[part]
		if n == nil || !n.isDir() {
			return pathError("mkdir", name, syscall.ENOTDIR)
		}
	}
	return nil
}

// Remove removes a file or an empty directory. Open handles of the file continue to work,
// as on Unix.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.root.findDir(name)
	switch {
	case err != nil:
		return pathError("remove", name, err)
	case dir.kids[base] == nil:
		return pathError("remove", name, fs.ErrNotExist)
	case len(dir.kids[base].kids) > 0:
		return pathError("remove", name, syscall.ENOTEMPTY)
	}
	dir.unlink(base)
	return nil
}

// RemoveAll removes a name and everything below it. The root itself cannot be removed.
func (m *Mem) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.root.findDir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return pathError("removeall", name, err)
	}
	dir.unlink(base)
	return nil
}

// SyncDir makes the current names in dir durable.
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.dir(name)
	if err != nil {
		return pathError("syncdir", name, err)
	}
	dir.syncedKids = maps.Clone(dir.kids)
	return nil
}

// dir finds a directory.
func (m *Mem) dir(name string) (*node, error) {
	n, err := m.root.find(split(name))
	if err == nil && !n.isDir() {
		err = syscall.ENOTDIR
	}
	return n, err
}

// errEscapes is the error of a [Rooted] for a name that leads out of it.
var errEscapes = errors.New("path escapes from parent")

func notDir(op, name string) error { return pathError(op, name, syscall.ENOTDIR) }

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
