package files

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Follow implements [eventlog.Store]. It reads through a descriptor of its own, which no
// other process takes for an open session, and looks at the log as [stream.Watch] does. It
// reads whole lines only: a record that lacks its line feed is yielded once it has one.
func (s *Store) Follow(ctx context.Context, session string, after uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if err := s.follow(ctx, session, after, yield); err != nil {
			yield(eventlog.Record{}, err)
		}
	}
}

// follow yields records until the reader stops, which is no error.
func (s *Store) follow(ctx context.Context, session string, after uint64, yield func(eventlog.Record, error) bool) error {
	const op = "files.Follow"
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := s.dir(op, session)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, logName)
	file, err := s.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return s.missing(op, session, path, err)
	}
	defer file.Close()
	f := follower{file: file, path: path, after: after}
	stopped, err := f.read(ctx, yield)
	if err == nil && f.pos < after && !stopped {
		err = f.reaches(ctx, after)
	}
	for pause := shortPause; err == nil && !stopped; {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		before := f.end
		if stopped, err = f.read(ctx, yield); f.end != before {
			pause = shortPause
		} else if pause = min(2*pause, longPause); err == nil {
			err = f.stillThere(s, session)
		}
	}
	switch err {
	case nil, ctx.Err():
		return err
	case errEndless:
		return &fault.Error{
			Op: op, On: path, Kind: fault.Conflict, Hint: "see what is damaged with: sidestick sessions verify " + shellword.Argument(session), Err: err,
		}
	}
	return failed(op, path, err)
}

// follower reads the log of a session that another process may own.
type follower struct {
	file  vfs.File
	path  string
	after uint64 // records up to this position are not yielded

	pos  uint64 // records read
	end  int64  // offset behind the last line read
	last mark   // of the last record
}

// read yields what was appended since the last call, up to the last line feed. The first call
// takes a log as [Store.Scan] does. Later ones take only what a store appends, because the
// position of a record must be the one that a stream gives it.
func (f *follower) read(ctx context.Context, yield func(eventlog.Record, error) bool) (stopped bool, err error) {
	info, err := f.file.Stat()
	if err != nil || info.Size() == f.end {
		return false, err
	}
	log := until{ctx, f.file}
	end, err := lastLine(log, f.end, info.Size())
	if err != nil || end == f.end {
		return false, err
	}
	kept, err := f.last.holds(f.file)
	switch {
	case err != nil:
		return false, err
	case !kept || end < f.end:
		return false, errRewritten
	}
	r, strict := newRecords(log, f.end, end), f.end > 0
	r.lines.fresh = true
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		rec, err := r.read()
		switch {
		case strict && r.rough:
			return false, errRewritten
		case err == io.EOF:
			f.end = end
			return false, nil
		case err != nil:
			return false, err
		}
		f.pos++
		if f.last = markOf(rec.off, rec.json); rec.off < 0 {
			f.last = mark{} // its bytes are not those of the file
		}
		if f.pos > f.after && !yield(eventlog.Record{Pos: f.pos, JSON: rec.json}, nil) {
			return true, nil
		}
	}
}

// reaches returns an error if a log has no record at a position, counted as [Store.Scan] does: the last one may lack
// its line feed, so that it is not read yet. It must still be there when it is.
func (f *follower) reaches(ctx context.Context, after uint64) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	n := uint64(0)
	_, err = scanLog(until{ctx, f.file}, 0, info.Size(), func(rec record) error {
		if n++; n == after && rec.off >= 0 {
			f.last = markOf(rec.off, rec.json)
		}
		return nil
	})
	if err == nil && n < after {
		return fault.New(fault.Conflict, "files.Follow", f.path, "cursor %d is past the end of the log at %d", after, n)
	}
	return err
}

// stillThere returns an error if the session was deleted, or if a repair has replaced its log.
func (f *follower) stillThere(s *Store, session string) error {
	here, err := s.fs.Stat(f.path)
	if err != nil {
		return s.missing("files.Follow", session, f.path, err)
	}
	mine, err := f.file.Stat()
	if err == nil && !vfs.SameFile(here, mine) {
		return errRewritten
	}
	return err
}
