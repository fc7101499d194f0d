package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
)

// Op is one operation a caller of a [Fail] file system is about to do.
type Op struct {
	// Name is the operation: "open", "readfile", "stat", "readdir", "mkdirall",
	// "rename", "remove", "removeall", "syncdir" of an [FS]; "read", "write",
	// "sync", "syncall", "claim", "truncate", "close", and again "stat", of a
	// [File]. Unclaim and Holder cannot fail, and are no operations.
	Name string
	// Path is its name as the caller gave it; of a rename, the new one.
	Path string
	// N counts the operations of this file system, this one included: 1 is
	// the first.
	N int
	// Bytes is the size of a read's or write's buffer, else 0.
	Bytes int
}

// Rule decides whether an operation fails: nil lets it through, an error is
// returned to the caller inside a [*fs.PathError] and nothing is done. For a
// write that is to be done in part, return a [*Short]; for an operation that is
// to take its time, a [*Slow].
//
// Calls never overlap and come in the order of [Op.N], so a rule may keep
// count. It must not use the file system it rules.
type Rule func(Op) error

// Short is the error of a write that stops in the middle.
type Short struct {
	Keep int   // bytes to write, from the front; below 0 is 0, too many is all
	Err  error // why; nil is [io.ErrShortWrite]
}

// Error returns the reason alone: a caller cannot see that it was staged.
func (s *Short) Error() string { return s.Unwrap().Error() }

// Unwrap returns the reason.
func (s *Short) Unwrap() error {
	if s.Err == nil {
		return io.ErrShortWrite
	}
	return s.Err
}

// Slow is the error of an operation that takes long. While it does, others go on,
// and in a bubble of testing/synctest it takes no time.
type Slow struct {
	For time.Duration // before anything is done
	Err error         // why it then fails, as a [Rule] returns it; nil lets it through
}

// Error says what goes on; nobody sees it, since a caller gets Err or nothing.
func (s *Slow) Error() string { return fmt.Sprintf("takes %v", s.For) }

// Fail returns fsys with the failures that rule chooses. Whatever it lets
// through is fsys itself, so a [Mem] can crash below it. A "close" that fails
// closes all the same, as on Linux.
func Fail(fsys FS, rule Rule) FS {
	return &failFS{fsys: fsys, rule: rule}
}

type failFS struct {
	fsys FS

	mu   sync.Mutex // guards the rest; held while rule decides
	rule Rule
	n    int
}

// allow asks the rule about one operation, and waits as long as that takes.
func (f *failFS) allow(name, path string, bytes int) error {
	err := f.ask(name, path, bytes)
	if slow, ok := err.(*Slow); ok {
		time.Sleep(slow.For)
		err = slow.Err
	}
	if err != nil {
		return pathError(name, path, err)
	}
	return nil
}

func (f *failFS) ask(name, path string, bytes int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	return f.rule(Op{Name: name, Path: path, N: f.n, Bytes: bytes})
}

func (f *failFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if err := f.allow("open", name, 0); err != nil {
		return nil, err
	}
	file, err := f.fsys.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &failFile{File: file, fsys: f, name: name}, nil
}

func (f *failFS) ReadFile(name string) ([]byte, error) {
	if err := f.allow("readfile", name, 0); err != nil {
		return nil, err
	}
	return f.fsys.ReadFile(name)
}

func (f *failFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.allow("stat", name, 0); err != nil {
		return nil, err
	}
	return f.fsys.Stat(name)
}

func (f *failFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.allow("readdir", name, 0); err != nil {
		return nil, err
	}
	return f.fsys.ReadDir(name)
}

func (f *failFS) MkdirAll(name string, perm fs.FileMode) error {
	if err := f.allow("mkdirall", name, 0); err != nil {
		return err
	}
	return f.fsys.MkdirAll(name, perm)
}

func (f *failFS) Rename(oldname, newname string) error {
	if err := f.allow("rename", newname, 0); err != nil {
		return err
	}
	return f.fsys.Rename(oldname, newname)
}

func (f *failFS) Remove(name string) error {
	if err := f.allow("remove", name, 0); err != nil {
		return err
	}
	return f.fsys.Remove(name)
}

func (f *failFS) RemoveAll(name string) error {
	if err := f.allow("removeall", name, 0); err != nil {
		return err
	}
	return f.fsys.RemoveAll(name)
}

func (f *failFS) SyncDir(dir string) error {
	if err := f.allow("syncdir", dir, 0); err != nil {
		return err
	}
	return f.fsys.SyncDir(dir)
}

// failFile is an open file of a failFS.
type failFile struct {
	File
	fsys *failFS
	name string
}

func (f *failFile) Read(p []byte) (int, error) {
	if err := f.fsys.allow("read", f.name, len(p)); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *failFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fsys.allow("read", f.name, len(p)); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *failFile) Write(p []byte) (int, error) {
	err := f.fsys.allow("write", f.name, len(p))
	if err == nil {
		return f.File.Write(p)
	}
	var short *Short
	if !errors.As(err, &short) {
		return 0, err
	}
	n, _ := f.File.Write(p[:min(max(short.Keep, 0), len(p))])
	return n, err
}

func (f *failFile) Sync() error {
	if err := f.fsys.allow("sync", f.name, 0); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *failFile) SyncAll() error {
	if err := f.fsys.allow("syncall", f.name, 0); err != nil {
		return err
	}
	return f.File.SyncAll()
}

func (f *failFile) Claim(c Claim) error {
	if err := f.fsys.allow("claim", f.name, 0); err != nil {
		return err
	}
	return f.File.Claim(c)
}

func (f *failFile) Truncate(size int64) error {
	if err := f.fsys.allow("truncate", f.name, 0); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *failFile) Stat() (fs.FileInfo, error) {
	if err := f.fsys.allow("stat", f.name, 0); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *failFile) Close() error {
	err := f.fsys.allow("close", f.name, 0)
	if cerr := f.File.Close(); err == nil {
		err = cerr
	}
	return err
}
