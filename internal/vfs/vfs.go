// Package vfs is the only way this program touches files. Behind one small
// interface, [FS], stand the operating system ([OS]), a memory that forgets
// what was not synced when told to crash ([Mem]), and either of them with
// chosen failures ([Fail]). A store written against FS can therefore be shown
// every power cut and every full disk in a unit test, in microseconds.
//
// # What survives a power cut
//
// Four rules, and no others. Code that relies on more is wrong somewhere:
//
//  1. [File.Sync] makes the bytes and the length of a file durable, not its name.
//  2. [FS.SyncDir] makes the names in one directory durable: those created in
//     it, renamed into or out of it, and removed from it. It makes neither the
//     bytes of those files durable nor the names inside a subdirectory.
//  3. [File.SyncAll] is both at once for all files and directories, where the
//     system can do that.
//  4. Whatever was not made durable may be there after a power cut or may not,
//     in any combination. Only the order of syncs orders anything.
//
// A process that dies without the machine (kill -9) loses nothing that Write
// has returned for; these rules are about the machine.
//
// # Using it
//
// Create a file once and for all: [MkdirAllSync], OpenFile, File.Sync, SyncDir
// of its directory. Replace a small file whole: [WriteFileAtomic]. Append: Write,
// then Sync before telling anyone.
//
// A Sync, SyncDir or SyncAll that failed has lost the bytes it was to save: the
// kernel may drop them and report success the next time. Do not retry; reopen
// the file and read what is there.
//
// Names that come from outside, a client or a model, go to a [Rooted] and cannot
// lead out of its directory.
//
// Several processes that write one file agree by [File.Claim] whose turn it is.
//
// # Deliberately absent
//
// No seeking and no writing at an offset: a log is written at its end and read
// anywhere. No links, no locks that wait, no watching, no working directory.
package vfs

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is a file system as an append-only store needs it. Names are what the
// os package takes: relative or absolute, with the system's separators.
//
// All implementations are safe for concurrent use. Errors are [*fs.PathError]
// or, from Rename, [*os.LinkError], and answer to errors.Is with
// [fs.ErrNotExist], [fs.ErrExist] and [fs.ErrClosed].
type FS interface {
	// OpenFile opens a file, with the flags and permissions of [os.OpenFile].
	// name must not be a directory: some systems open one and fail only at
	// the first Read. With O_CREATE the new name is not durable until SyncDir.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// ReadFile returns the whole file, an empty one as no bytes and no error.
	ReadFile(name string) ([]byte, error)
	// Stat describes a file or directory.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, ordered by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// MkdirAll makes a directory and its missing parents. One that is there
	// already is no error. No new name is durable yet; see [MkdirAllSync].
	MkdirAll(name string, perm fs.FileMode) error
	// Rename gives a file or directory a new name and replaces, in one step,
	// a file that has it. A directory in that place is an error. It is durable
	// after SyncDir of both directories; until then either name, or both, or
	// with a replaced file its old bytes, may come back.
	Rename(oldname, newname string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// RemoveAll removes a name and all below it. A missing name is no error.
	RemoveAll(name string) error
	// SyncDir makes the names in a directory durable. Where a system cannot
	// sync directories (Windows), it checks only that dir is there.
	SyncDir(dir string) error
	// Root opens the tree below a directory that is there, for names that nobody
	// vouches for.
	Root(dir string) (Rooted, error)
}

// File is an open file. Reading and writing share one offset, which starts at
// 0; with O_APPEND every Write goes to the end.
//
// All methods are safe for concurrent use; two Writes do not interleave.
type File interface {
	io.Reader
	io.ReaderAt
	// Write writes all of p or returns an error with the count of the bytes
	// that did reach the file: after a failure the file may have a torn tail.
	io.Writer
	// Close gives the file back. It does not sync. A second Close is
	// [fs.ErrClosed].
	io.Closer
	// Sync makes what was written so far durable, by any handle of the file.
	// After an error, do not retry; see the package comment.
	Sync() error
	// SyncAll makes durable, at once, what was written so far to every file of
	// the file system that this one is on, and all names in it. It also waits for
	// what other programs have written, however much that is. An error may be
	// about any of those files; it is told of if it happened since this file was
	// opened and SyncAll of this handle has not told of it before.
	//
	// [errors.ErrUnsupported], with nothing done, where the system cannot do it
	// or does not tell of errors: on all but Linux, from 5.8, with ext4.
	SyncAll() error
	// Claim takes c for this handle, which must be open for reading and writing.
	// and does not have it yet. It does not wait.
	//
	// [ErrClaimed] if another handle has [ClaimWrite]; [errors.ErrUnsupported]
	// where the system has no such claim: ClaimOpen is known on Linux only.
	Claim(c Claim) error
	// Unclaim gives c back, if this handle has it, as Close does.
	Unclaim(c Claim)
	// Holder is the process that has c by another handle: its id, or that of one
	// of them if there are several; 0 if there is none; -1 if nobody can tell. An
	// id is that of the namespace in which the process itself lives.
	Holder(c Claim) int
	// Truncate sets the length in bytes, filling with zeros when it grows.
	// The offset stays. A negative size is an error.
	Truncate(size int64) error
	// Stat describes the file, also after it was renamed or removed.
	Stat() (fs.FileInfo, error)
}

// WriteFileAtomic makes data the whole contents of name, durably, or leaves
// name as it was: a reader, also one after a power cut, sees the old bytes or
// the new, never a mixture and never none. When it returns nil, the new bytes
// are durable.
//
// It writes name.<random>.tmp beside name and renames it. An error removes that
// file again; a crash may leave it, and nobody ever reads it. Concurrent calls
// for one name are safe, and the last rename wins. A symbolic link called name
// is replaced, not followed. perm is that of a new file, before the umask,
// also where name existed with another.
func WriteFileAtomic(fsys FS, name string, data []byte, perm fs.FileMode) error {
	tmp := name + "." + rand.Text()[:8] + ".tmp"
	err := writeFileSync(fsys, tmp, data, perm)
	if err == nil {
		err = fsys.Rename(tmp, name)
	}
	if err != nil {
		_ = fsys.Remove(tmp) // the first error is the one to act on
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
}

// writeFileSync creates a file that must not exist and syncs its bytes.
func writeFileSync(fsys FS, name string, data []byte, perm fs.FileMode) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// MkdirAllSync is MkdirAll that returns once the new names are durable.
//
// Besides the directories it makes, it makes the name of dir itself durable
// even if it was there: the process that made it may have died before it could.
// Parents that were there are taken to be durable.
func MkdirAllSync(fsys FS, dir string, perm fs.FileMode) error {
	dir = filepath.Clean(dir)
	grown := []string{filepath.Dir(dir)} // directories to sync: each has a new entry
	for d := grown[0]; filepath.Dir(d) != d; d = filepath.Dir(d) {
		_, err := fsys.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		grown = append(grown, filepath.Dir(d))
	}
	if err := fsys.MkdirAll(dir, perm); err != nil {
		return err
	}
	for _, d := range grown {
		if err := fsys.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// SameFile reports whether two descriptions, from Stat of one [FS] or of its
// files, are of one file, whatever its names were.
func SameFile(a, b fs.FileInfo) bool {
	x, ok := a.(memInfo)
	y, both := b.(memInfo)
	if ok && both {
		return x.node == y.node
	}
	return os.SameFile(a, b)
}
