package files

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Sessions lists the folders that have a log.
func (s *Store) Sessions() ([]eventlog.Info, error) {
	entries, err := s.fs.ReadDir(s.root)
	if err != nil {
		return nil, failed("files.Sessions", s.root, err)
	}
	infos := make([]eventlog.Info, 0, len(entries))
	for _, e := range entries {
		id, ok := sessionOf(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		info, err := s.fs.Stat(filepath.Join(s.root, e.Name(), logName))
		if err != nil {
			continue // a folder without a log, or just deleted
		}
		infos = append(infos, eventlog.Info{ID: id, Size: info.Size(), Modified: info.ModTime()})
	}
	return infos, nil
}

// Head reads the beginning of a log, and only that.
func (s *Store) Head(session string, n int) ([][]byte, error) {
	const op = "files.Head"
	dir, err := s.dir(op, session)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, s.missing(op, session, path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, failed(op, path, err)
	}
	head, err := readHead(f, min(info.Size(), eventlog.HeadBytes), n)
	if err != nil {
		return nil, failed(op, path, err)
	}
	return head, nil
}

// readHead returns the first n records of the first size bytes.
func readHead(f vfs.File, size int64, n int) ([][]byte, error) {
	var head [][]byte
	r := newRecords(f, 0, size)
	for len(head) < n {
		rec, _, err := r.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		head = append(head, bytes.Clone(rec))
	}
	return head, nil
}
