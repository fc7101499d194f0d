package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// Op is an operation that a caller of a [Fail] file system is about to do.
type Op struct {
	// Name is the operation: "open", "readfile", "stat", "readdir", "mkdirall",
	// "rename", "remove", "removeall", "syncdir" of an [FS]; "read", "write",
	// "sync", "syncall", "claim", "truncate", "close", and again "stat", of a
	// [File]. Unclaim and Holder cannot fail, and are not operations.
	Name string
	// Path is the name as the caller gave it; for a rename, the new name.
	Path string
	// N is the number of the operation in this file system, from 1.
	N int
	// Bytes is the size of the buffer of a read or write, otherwise 0.
	Bytes int
}

// Rule decides whether an operation fails. If it returns nil, the operation is done;
// otherwise the caller gets the error inside a [*fs.PathError] and nothing is done. To do
// a part of a write, return a [*Short]; to delay an operation, a [*Slow].
//
// Calls never overlap and come in the order of [Op.N], so a rule may count. It must not
// use the file system that it decides about.
type Rule func(Op) error

// Short is the error of a write that stops in the middle.
type Short struct {
	Keep int   // bytes to write, from the beginning; below 0 means 0, too many means all
	Err  error // why; nil is [io.ErrShortWrite]
}

// Error returns only the reason, so a caller cannot tell the failure from a real one.
func (s *Short) Error() string { return s.Unwrap().Error() }

// Unwrap returns the reason.
func (s *Short) Unwrap() error {
	if s.Err == nil {
		return io.ErrShortWrite
	}
	return s.Err
}

// Slow is the error of an operation that takes long. Half of the time passes before its
// effect and half after, while other operations continue: during the first half a sync
// has not synced, and it does not save what is written during the second half. In a
// bubble of testing/synctest it takes no real time.
type Slow struct {
	For time.Duration
	Err error // the failure after that, as a [Rule] returns it; nil: none
}

// Error is never shown to a caller, who gets Err or nothing.
func (s *Slow) Error() string { return fmt.Sprintf("takes %v", s.For) }

// Fail returns fsys with the failures that rule chooses. Operations without a failure go
// to fsys itself, so a [Mem] can crash below it. A "close" that fails closes the file
// nevertheless, as on Linux.
func Fail(fsys FS, rule Rule) FS {
	return &failFS{fsys: fsys, ruling: &ruling{rule: rule}}
}

type failFS struct {
	*ruling
	fsys FS
	at   string // folder in which the names of fsys begin; empty: none
}

// ruling is a rule and its count, shared by a file system and the roots in it.
type ruling struct {
	mu   sync.Mutex // guards the rest; held while rule decides
	rule Rule
	n    int
}

// do does op, as slowly as the rule wants, unless the rule makes it fail.
func (f *failFS) do(name, path string, bytes int, op func() error) error {
	err := f.ask(name, f.full(path), bytes)
	var slow Slow
	if s, ok := err.(*Slow); ok {
		slow, err = *s, s.Err
	}
	time.Sleep(slow.For / 2)
	if err != nil {
		err = pathError(name, path, err)
	} else {
		err = op()
	}
	time.Sleep(slow.For - slow.For/2)
	return err
}

func (f *failFS) full(path string) string {
	if f.at == "" {
		return path
	}
	return filepath.Join(f.at, path)
}

func (r *ruling) ask(name, path string, bytes int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return r.rule(Op{Name: name, Path: path, N: r.n, Bytes: bytes})
}

func (f *failFS) OpenFile(name string, flag int, perm fs.FileMode) (file File, err error) {
	err = f.do("open", name, 0, func() (err error) {
		file, err = f.fsys.OpenFile(name, flag, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &failFile{File: file, fsys: f, name: name}, nil
}

func (f *failFS) ReadFile(name string) (data []byte, err error) {
	err = f.do("readfile", name, 0, func() (err error) {
		data, err = f.fsys.ReadFile(name)
		return err
	})
	return data, err
}

func (f *failFS) Stat(name string) (info fs.FileInfo, err error) {
	err = f.do("stat", name, 0, func() (err error) {
		info, err = f.fsys.Stat(name)
		return err
	})
	return info, err
}

func (f *failFS) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = f.do("readdir", name, 0, func() (err error) {
		entries, err = f.fsys.ReadDir(name)
		return err
	})
	return entries, err
}

func (f *failFS) MkdirAll(name string, perm fs.FileMode) error {
	return f.do("mkdirall", name, 0, func() error { return f.fsys.MkdirAll(name, perm) })
}

func (f *failFS) Rename(oldname, newname string) error {
	return f.do("rename", newname, 0, func() error { return f.fsys.Rename(oldname, newname) })
}

func (f *failFS) Remove(name string) error {
	return f.do("remove", name, 0, func() error { return f.fsys.Remove(name) })
}

func (f *failFS) RemoveAll(name string) error {
	return f.do("removeall", name, 0, func() error { return f.fsys.RemoveAll(name) })
}

func (f *failFS) SyncDir(dir string) error {
	return f.do("syncdir", dir, 0, func() error { return f.fsys.SyncDir(dir) })
}
