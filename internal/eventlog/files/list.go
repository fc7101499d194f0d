package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Sessions implements [eventlog.Store]. It lists the folders that have a log, and those that
// cannot be looked into: they may have one. A store whose folder was removed has no sessions:
// Create makes the folder again.
func (s *Store) Sessions(ctx context.Context) ([]eventlog.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := s.fs.ReadDir(s.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failed("files.Sessions", s.root, err)
	}
	infos := make([]eventlog.Info, 0, len(entries))
	for _, e := range entries {
		id, ok := sessionOf(e.Name())
		if !ok || !e.IsDir() {
			continue
		}
		info, err := s.fs.Stat(filepath.Join(s.root, e.Name(), logName))
		switch {
		case err == nil:
			infos = append(infos, eventlog.Info{ID: id, Size: info.Size(), Modified: info.ModTime()})
		case !errors.Is(err, fs.ErrNotExist): // else a folder without a log, or deleted just now
			infos = append(infos, eventlog.Info{ID: id})
		}
	}
	return infos, nil
}

// Scan implements [eventlog.Store]. It reads the log through a descriptor of its own.
func (s *Store) Scan(ctx context.Context, session string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if err := s.scan(ctx, session, yield); err != nil {
			yield(eventlog.Record{}, err)
		}
	}
}

// scan yields records until the end of the log, until the reader stops, or until a read
// fails.
func (s *Store) scan(ctx context.Context, session string, yield func(eventlog.Record, error) bool) error {
	const op = "files.Scan"
	dir, err := s.dir(op, session)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return s.missing(op, session, path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return failed(op, path, err)
	}
	log := until{ctx, f}
	end, err := trimNUL(log, 0, info.Size())
	if err != nil {
		return failed(op, path, err)
	}
	r := newRecords(log, 0, end)
	r.lines.fresh = true
	for pos := uint64(1); ; pos++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec, err := r.read()
		if err == io.EOF {
			s.tellLeftOut(session, r, f, info.Size())
			return nil
		}
		if err != nil {
			return failed(op, path, err)
		}
		if !yield(eventlog.Record{Pos: pos, JSON: rec.json}, nil) {
			return nil
		}
	}
}

// tellLeftOut reports what was passed over in a log that had a size. A last line that is being written at this moment
// is not part of it.
func (s *Store) tellLeftOut(session string, r *records, f vfs.File, size int64) {
	what := LeftOut{Pieces: r.dropped, Lines: r.places}
	if r.losing && !r.ended {
		if info, err := f.Stat(); err != nil || info.Size() != size {
			what.Pieces--
			what.Lines = what.Lines[:min(len(what.Lines), what.Pieces)]
		}
	}
	if s.leftOut != nil && what.Pieces > 0 {
		s.leftOut(session, what)
	}
}

// until is a file that is read only until ctx is done: a log may be larger than what can be read at once.
type until struct {
	ctx context.Context
	io.ReaderAt
}

func (u until) ReadAt(p []byte, off int64) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.ReaderAt.ReadAt(p, off)
}
