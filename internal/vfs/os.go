package vfs

import (
	"io/fs"
	"os"
)

// OS is the operating system's file system. Its zero value is ready to use.
//
// On darwin, Sync asks the drive itself to flush (F_FULLFSYNC), as [os.File.Sync] does.
// On Windows, SyncDir does nothing: the system makes names durable by its own journal and
// has no call for it.
type OS struct{}

var _ FS = OS{}

// OpenFile is [os.OpenFile] for regular files.
func (OS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := openRegular(name, flag, func(flag int) (*os.File, error) { return os.OpenFile(name, flag, perm) })
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface is not nil
	}
	return osFile{f}, nil
}

// ReadFile is [os.ReadFile] for regular files.
func (OS) ReadFile(name string) ([]byte, error) {
	return readRegular(name, func(flag int) (*os.File, error) { return os.OpenFile(name, flag, 0) })
}

// Stat is [os.Stat]; it follows symbolic links.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir is [os.ReadDir].
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// MkdirAll is [os.MkdirAll].
func (OS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// Rename is [os.Rename].
func (OS) Rename(oldname, newname string) error { return os.Rename(oldname, newname) }

// Remove is [os.Remove].
func (OS) Remove(name string) error { return os.Remove(name) }

// RemoveAll is [os.RemoveAll].
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// SyncDir makes the names in dir durable where the system can.
func (OS) SyncDir(dir string) error { return syncDir(dir) }

// osFile is an open file with the methods that [os.File] lacks.
type osFile struct{ *os.File }

func (f osFile) SyncAll() error      { return f.failed("syncall", syncAll(f.File)) }
func (f osFile) Claim(c Claim) error { return f.failed("claim", claim(f.File, c)) }
func (f osFile) Unclaim(c Claim)     { unclaim(f.File, c) }
func (f osFile) Holder(c Claim) int  { return holder(f.File, c) }

func (f osFile) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return pathError(op, f.Name(), err)
}

// control calls do with the descriptor of a file, which stays open during the call.
func control(f *os.File, do func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	if conn.Control(func(fd uintptr) { done = do(fd) }) != nil {
		return fs.ErrClosed
	}
	return done
}
