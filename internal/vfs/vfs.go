// Package vfs is the only way in which this program uses files. It has one small
// interface, [FS], and three implementations: the operating system ([OS]), a file system
// in memory that forgets what was not synced when a test makes it crash ([Mem]), and
// either of them with chosen failures ([Fail]). So a unit test can subject a store that
// uses FS to every power cut and every full disk, in microseconds.
//
// # What survives a power cut
//
// Four rules, and no others. Code that relies on more is wrong on some system:
//
//  1. [File.Sync] makes the bytes and the length of a file durable, but not its name.
//  2. [FS.SyncDir] makes the names in one directory durable: those created in it, renamed
//     into or out of it, and removed from it. It makes neither the bytes of those files
//     durable nor the names inside a subdirectory.
//  3. [File.SyncAll] does both for all files and directories at once, where the system can.
//  4. Other changes may or may not exist after a power cut, in any
//     combination. Only syncs guarantee an order.
//
// If only the process ends (kill -9) and the machine keeps running, nothing is lost once
// Write has returned.
//
// # How to use it
//
// To create a file durably: [MkdirAllSync], OpenFile, File.Sync, then SyncDir of its
// directory. To replace a small file: [WriteFileAtomic]. To append: Write, then Sync
// before reporting success.
//
// If Sync, SyncDir or SyncAll fails, the bytes that it was to save are lost: the kernel
// may drop them and report success the next time. Do not retry; reopen the file and read
// what it holds.
//
// Names that come from outside, from a client or a model, go to a [Rooted], and cannot
// leave its directory.
//
// Several processes that write one file use [File.Claim] to agree on who writes it, and
// [Lock] to take turns.
//
// # What is missing on purpose
//
// There is no seeking and no writing at an offset: a log is written at its end and read
// anywhere. There are no links, no file watching and no working directory.
package vfs

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is a file system with the operations that an append-only store needs. Names are as in package os:
// relative or absolute, with the system's separators.
//
// All implementations are safe for concurrent use. Errors are [*fs.PathError] or, from
// Rename, [*os.LinkError], and work with errors.Is and [fs.ErrNotExist], [fs.ErrExist]
// and [fs.ErrClosed].
type FS interface {
	// OpenFile opens a regular file, with the flags and permissions of [os.OpenFile].
	// [ErrNotRegular] for a pipe, a device or a socket, which is never waited for;
	// another error for a directory. With O_CREATE the new name is not durable until SyncDir.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// ReadFile returns the whole of a file that OpenFile opens; an empty file is no bytes and no error.
	ReadFile(name string) ([]byte, error)
	// Stat describes a file or directory.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir returns the entries of a directory, ordered by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// MkdirAll makes a directory and its missing parents. An existing directory is not an
	// error. The new names are not durable yet; see [MkdirAllSync].
	MkdirAll(name string, perm fs.FileMode) error
	// Rename gives a file or directory a new name and replaces, in one step, a file that
	// has this name. An existing directory with this name is an error. The rename is
	// durable after SyncDir of both directories. Before that, a power cut may leave the
	// old name, the new name or both, and the old bytes of a replaced file.
	Rename(oldname, newname string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// RemoveAll removes a name and everything below it. A missing name is not an error.
	RemoveAll(name string) error
	// SyncDir makes the names in a directory durable. Where the system cannot sync
	// directories (Windows), it only checks that dir exists.
	SyncDir(dir string) error
	// Root opens the tree below an existing directory, for names that are not trusted.
	Root(dir string) (Rooted, error)
}

// File is an open file. Reading and writing share one offset, which starts at 0; with
// O_APPEND every Write goes to the end.
//
// All methods are safe for concurrent use; two Writes do not interleave.
type File interface {
	io.Reader
	io.ReaderAt
	// Write writes all of p, or returns an error with the number of bytes that reached
	// the file: after a failure the file may end with a part of p.
	io.Writer
	// Close closes the file. It does not sync. A second Close is [fs.ErrClosed].
	io.Closer
	// Sync makes everything durable that was written so far, by any handle of the file.
	// After an error, do not retry; see the package comment.
	Sync() error
	// SyncAll makes durable what was written so far to every file of the file system that
	// holds this one, and all names in it. It also waits for data that other programs have
	// written, however much that is. An error may concern any of those files. It is
	// reported once per handle, if it happened since the handle was opened.
	//
	// [errors.ErrUnsupported], with nothing done, where the system cannot do this or does
	// not report errors. It is supported only on Linux from 5.8 on, with ext4.
	SyncAll() error
	// Claim takes c for this handle, which must be open for reading and writing and must
	// not have c yet. It does not wait.
	//
	// [ErrClaimed] if another handle has [ClaimWrite]; [errors.ErrUnsupported] where the
	// system has no such claim: only Linux has ClaimOpen.
	Claim(c Claim) error
	// Unclaim releases c if this handle has it. Close does so as well.
	Unclaim(c Claim)
	// Holder returns the id of a process that has c by another handle, as seen in the
	// process's own namespace. 0 if there is none; -1 if the system does not tell.
	Holder(c Claim) int
	// Truncate sets the length in bytes; when the file grows, it is filled with zeros.
	// The offset stays. A negative size is an error.
	Truncate(size int64) error
	// Stat describes the file, also after it has been renamed or removed.
	Stat() (fs.FileInfo, error)
}

// WriteFileAtomic replaces the contents of name by data, durably, or leaves name
// unchanged: a reader sees the old bytes or the new ones, never a mixture and never none,
// even after a power cut. When it returns nil, the new bytes are durable.
//
// It writes name.<random>.tmp beside name and renames it. After an error it removes that
// file again; a crash may leave it, and no code ever reads it. Concurrent calls for one
// name are safe, and the last rename wins. A symbolic link called name is replaced, not
// followed. perm is the mode of the new file before the umask, even if name existed with
// another mode.
func WriteFileAtomic(fsys FS, name string, data []byte, perm fs.FileMode) error {
	tmp := name + "." + rand.Text()[:8] + ".tmp"
	err := writeFileSync(fsys, tmp, data, perm)
	if err == nil {
		err = fsys.Rename(tmp, name)
	}
	if err != nil {
		_ = fsys.Remove(tmp) // report the first error
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

// MkdirAllSync is MkdirAll that returns when the new names are durable.
//
// It makes the name of dir itself durable even if dir existed, because the process that
// made it may have ended before it could. Parents that existed are taken to be durable.
func MkdirAllSync(fsys FS, dir string, perm fs.FileMode) error {
	dir = filepath.Clean(dir)
	changed := []string{filepath.Dir(dir)} // directories to sync: each has a new entry
	for d := changed[0]; filepath.Dir(d) != d; d = filepath.Dir(d) {
		_, err := fsys.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		changed = append(changed, filepath.Dir(d))
	}
	if err := fsys.MkdirAll(dir, perm); err != nil {
		return err
	}
	for _, d := range changed {
		if err := fsys.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// SameFile reports whether two descriptions, from Stat of one [FS] or of its files,
// describe the same file, under any names.
func SameFile(a, b fs.FileInfo) bool {
	x, ok := a.(memInfo)
	y, both := b.(memInfo)
	if ok && both {
		return x.node == y.node
	}
	return os.SameFile(a, b)
}
