package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// trash is the folder in root for sessions that are being deleted. No session has this
// name: its dot would be encoded.
const trash = ".deleted"

// Delete implements [eventlog.Store]. Moving the folder of the session aside deletes it;
// then Delete removes that folder. The next [Open] removes what cannot be removed now.
func (s *Store) Delete(ctx context.Context, session string) error {
	const op = "files.Delete"
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := s.dir(op, session)
	if err != nil {
		return err
	}
	if err := s.mayDelete(op, session, filepath.Join(dir, logName)); err != nil {
		return err
	}
	aside := filepath.Join(s.root, trash, rand.Text())
	err = s.moveAside(dir, aside)
	if errors.Is(err, syscall.ENOSPC) { // making room must not need room; now a crash can leave half of the session
		err = s.fs.RemoveAll(dir)
	}
	if err != nil {
		return s.missing(op, session, dir, err)
	}
	if s.sync != SyncOS { // otherwise a loss of power could bring back a folder with half its files
		if err := s.fs.SyncDir(s.root); err != nil {
			return failed(op, s.root, err)
		}
	}
	s.remove(aside)
	return nil
}

func (s *Store) moveAside(dir, aside string) error {
	if err := s.fs.MkdirAll(filepath.Dir(aside), dirPerm); err != nil {
		return err
	}
	return s.fs.Rename(dir, aside)
}

// mayDelete returns why a session cannot be deleted: there is none, or another
// process is at work in it. A process that begins right after this check loses what it
// writes. The claim cannot be kept for longer, because Windows does not move a folder
// with an open file in it.
func (s *Store) mayDelete(op, session, path string) error {
	f, err := s.fs.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrPermission): // the claim cannot be read; whether the folder can be moved will show
		return nil
	case err != nil:
		return s.missing(op, session, path, err)
	}
	defer f.Close()
	return s.claim(op, path, f)
}

// sweep removes the folders that Delete has moved aside.
func (s *Store) sweep() {
	dir := filepath.Join(s.root, trash)
	entries, err := s.fs.ReadDir(dir)
	if err != nil {
		return // there is none, or this user may not read it
	}
	for _, e := range entries {
		s.remove(filepath.Join(dir, e.Name()))
	}
}

func (s *Store) remove(dir string) {
	if err := s.fs.RemoveAll(dir); err != nil {
		s.log.Warn("a deleted session could not be removed yet", "path", dir, "error", err)
	}
}
