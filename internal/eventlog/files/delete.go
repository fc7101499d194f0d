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

// trash is the folder in root for what is being deleted. No session is called
// so: its dot would be encoded.
const trash = ".deleted"

// Delete moves the folder of a session aside, which is what deletes it, and
// then removes it. What cannot be removed is left for the next [Open].
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
	if errors.Is(err, syscall.ENOSPC) { // to make room must not need room; a crash can leave half of it now
		err = s.fs.RemoveAll(dir)
	}
	if err != nil {
		return s.missing(op, session, dir, err)
	}
	if s.sync != SyncOS { // else power could return a folder with half its files
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
// process is at work in it. One that begins right after this check loses what it
// writes; the claim cannot be kept, because Windows moves no folder with an open
// file in it.
func (s *Store) mayDelete(op, session, path string) error {
	f, err := s.fs.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrPermission): // nobody can be asked; whether it can be moved is for the folder to say
		return nil
	case err != nil:
		return s.missing(op, session, path, err)
	}
	defer f.Close()
	return s.claim(op, path, f)
}

// sweep removes what Delete has moved aside.
func (s *Store) sweep() {
	dir := filepath.Join(s.root, trash)
	entries, err := s.fs.ReadDir(dir)
	if err != nil {
		return // there is none, or nobody may read it
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
