package wiring

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// unsaved is the folder of the sessions of a process that keeps none. It is in the home, so that the rules that protect
// the home protect it, too. The process holds a lock beside it: a folder whose lock nobody holds was left by a process
// that was killed, and the next start removes it. The zero value is of a process that keeps its sessions.
type unsaved struct {
	fs     vfs.FS
	folder string
	lock   vfs.File
}

// unsavedFolder has the folders of such processes, and lockSuffix is the end of the names of their locks. turnLock is
// held while locks are made and removed.
const (
	unsavedFolder = "unsaved"
	lockSuffix    = ".lock"
	turnLock      = "turn"
)

// places are where the sessions of a home are, and the file with the list of them; "" is none. It removes what killed
// processes have left of sessions that were not to be kept.
func (p *Process) places(cfg config.Config) (sessions, list string, err error) {
	all := filepath.Join(cli.Absolute(cfg.Home.Value), unsavedFolder)
	disk := p.sys.FS
	if disk == nil {
		disk = vfs.OS{}
	}
	if !p.adjust.Unsaved {
		if _, err := disk.Stat(all); err == nil {
			if turn, err := vfs.Lock(context.Background(), disk, filepath.Join(all, turnLock)); err == nil {
				sweep(disk, all) // else another start does it
				_ = turn.Close()
			}
		}
		return sessionsPath(cfg), catalogPath(cfg), nil
	}
	if err := vfs.MkdirAllSync(disk, all, 0o700); err != nil {
		return "", "", vfs.Failure("sessions", all, err)
	}
	turn, err := vfs.Lock(context.Background(), disk, filepath.Join(all, turnLock))
	if err != nil {
		return "", "", vfs.Failure("sessions", all, err)
	}
	defer turn.Close()
	sweep(disk, all)
	own := filepath.Join(all, wire.NewSessionID())
	lock, err := vfs.Lock(context.Background(), disk, own+lockSuffix)
	if err != nil {
		return "", "", vfs.Failure("sessions", own, err)
	}
	p.unsaved = unsaved{disk, own, lock}
	return own, "", nil
}

// sweep removes the folders whose process has ended. The next start tries again to remove what this one cannot.
func sweep(disk vfs.FS, all string) {
	entries, err := disk.ReadDir(all)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if !isLock {
			continue
		}
		path := filepath.Join(all, name)
		lock, err := disk.OpenFile(path+lockSuffix, os.O_RDWR, 0o600)
		if err != nil {
			continue
		}
		if lock.Claim(vfs.ClaimWrite) == nil { // where the system has no claims, nobody knows who has ended
			_ = unsaved{disk, path, nil}.remove()
		}
		_ = lock.Close()
	}
}

// discard removes the sessions, which are closed.
func (u unsaved) discard() error {
	if u.folder == "" {
		return nil
	}
	err := u.remove()
	return errors.Join(err, u.lock.Close())
}

// remove removes the folder and, once it is gone, its lock.
func (u unsaved) remove() error {
	err := u.fs.RemoveAll(u.folder)
	if err == nil {
		err = u.fs.Remove(u.folder + lockSuffix)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return vfs.Failure("sessions", u.folder, err)
}
