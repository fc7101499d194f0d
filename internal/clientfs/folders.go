package clientfs

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Folders has the temporary files, on this machine, of the sessions that clients keep: a
// folder for each session, in a folder of this process. As long as the process lives, it holds
// a lock on a file beside its folder, so that a later process can recognise and remove the
// folders of killed processes. Nothing is created before the first such session.
type Folders struct {
	fs   vfs.FS
	logs *slog.Logger
	root string // of all processes

	once sync.Once
	own  string // of this process
	lock vfs.File

	ended sync.Once
}

// foldersRoot is the folder with the folders of all processes. It is beside the folders of
// sessions, whose names never begin with a dot.
const foldersRoot = ".kept-by-client"

// NewFolders returns folders in the folder that has those of the sessions. It creates nothing.
func NewFolders(fsys vfs.FS, logs *slog.Logger, sessions string) *Folders {
	return &Folders{fs: fsys, logs: logs, root: filepath.Join(sessions, foldersRoot)}
}

// Next returns the path of a new folder for a session. The folder is not created yet.
func (k *Folders) Next() string {
	k.once.Do(k.open)
	return filepath.Join(k.own, wire.NewID())
}

// open makes the folder of this process, after its lock, and removes those of dead ones.
func (k *Folders) open() {
	k.own = filepath.Join(k.root, wire.NewID())
	err := k.fs.MkdirAll(k.root, 0o700)
	if err == nil {
		k.lock, err = vfs.Lock(context.Background(), k.fs, lockOf(k.own)) // nobody else knows the name
	}
	if err == nil {
		err = k.fs.MkdirAll(k.own, 0o700)
	}
	if err != nil {
		k.logs.Warn("temporary files of sessions that clients keep will be left behind if this process is killed", "err", err)
		return
	}
	entries, err := k.fs.ReadDir(k.root)
	for _, e := range entries {
		if name := filepath.Join(k.root, e.Name()); err == nil && e.IsDir() && name != k.own {
			err = k.sweep(name)
		}
	}
	if err != nil {
		k.logs.Warn("temporary files of sessions that clients kept are left behind", "err", err)
	}
}

func lockOf(folder string) string { return folder + ".lock" }

// sweep removes the folder of another process if that has ended.
func (k *Folders) sweep(folder string) error {
	lock, err := k.fs.OpenFile(lockOf(folder), os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k.fs.RemoveAll(folder) // another process was killed while it removed it
	case err != nil:
		return err
	}
	defer func() { _ = lock.Close() }() // it is only locked
	switch err := lock.Claim(vfs.ClaimWrite); {
	case errors.Is(err, vfs.ErrClaimed), errors.Is(err, errors.ErrUnsupported):
		return nil // the process lives, or nobody can know
	case err != nil:
		return err
	}
	return errors.Join(k.fs.RemoveAll(folder), k.fs.Remove(lockOf(folder)))
}

// Close removes the folder of this process. No session uses it any more.
func (k *Folders) Close() { k.ended.Do(k.remove) }

func (k *Folders) remove() {
	k.once.Do(func() {}) // from now on there is none
	if k.lock == nil {
		return
	}
	err := errors.Join(k.fs.RemoveAll(k.own), k.lock.Close(), k.fs.Remove(lockOf(k.own)))
	if err != nil {
		k.logs.Warn("temporary files of sessions that clients keep are left behind", "err", err)
	}
}
