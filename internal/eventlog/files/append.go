package files

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// buffers are for bytes that are read or written once. One that grew above maxKept is
// not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxKept = 1 << 20

// Append implements [eventlog.Lease]. Once it has begun to write it does not look at
// ctx again.
func (l *lease) Append(ctx context.Context, at uint64, recs [][]byte, durable bool) error {
	s := l.stream
	if err := l.held(ctx, "files.Append"); err != nil {
		return err
	}
	if err := s.mayAppend(at, recs); err != nil {
		return err
	}
	n, err := s.write(recs)
	if err != nil {
		if !s.undo(n) {
			s.broken = err
		}
		s.check()
		return s.failed(err)
	}
	if err := s.makeDurable(durable); err != nil {
		s.undo(n) // so that the next Open agrees with the result that the caller gets now
		s.broken = err
		return s.failed(err)
	}
	s.added(recs)
	s.indexed(durable)
	return nil
}

// mayAppend returns why recs cannot be appended; nil if they can.
func (s *stream) mayAppend(at uint64, recs [][]byte) error {
	if err := s.mayStore(recs); err != nil {
		return err
	}
	if s.broken != nil {
		return s.inDoubt("files.Append")
	}
	if at != s.count { // which only the appending goroutine changes
		return fault.New(fault.Conflict, "files.Append", s.path(), "log is at %d, caller expected %d", s.count, at)
	}
	return s.unchanged()
}

// inDoubt returns why nothing more can be done with a stream that is broken.
func (s *stream) inDoubt(op string) error {
	return &fault.Error{
		Op: op, On: s.path(), Kind: fault.Unavailable, Hint: "open the session anew",
		Err: fmt.Errorf("an earlier append failed and left the end of the log in doubt: %w", vfs.Reason(s.broken)),
	}
}

// mayStore returns why one of recs must not be in a log; nil if all may.
func (s *stream) mayStore(recs [][]byte) error {
	for i, rec := range recs {
		why := ""
		switch {
		case len(rec) > eventlog.MaxRecord:
			why = fmt.Sprintf("has %d bytes, above the limit of %d", len(rec), eventlog.MaxRecord)
		case bytes.IndexByte(rec, '\n') >= 0:
			why = "has a line feed"
		case len(rec) == 0 || objectEnd(rec) != len(rec):
			why = "is not one JSON object"
		}
		if why != "" {
			return fault.New(fault.Invalid, "files.Append", s.path(), "record %d of %d %s", i+1, len(recs), why)
		}
	}
	return nil
}

// unchanged checks that the file is as long as this process made it.
func (s *stream) unchanged() error {
	info, err := s.file.Stat()
	if err != nil {
		return s.failed(err)
	}
	if info.Size() != s.size {
		s.check()
		return &fault.Error{
			Op: "files.Append", On: s.path(), Kind: fault.Conflict,
			Hint: "close the session there, and open it anew here",
			Err:  fmt.Errorf("another process has written: the log has %d bytes, this process wrote up to %d", info.Size(), s.size),
		}
	}
	return nil
}

// write appends recs to the file and returns how many bytes reached it.
func (s *stream) write(recs [][]byte) (n int, err error) {
	if len(recs) == 0 {
		return 0, nil
	}
	buf := buffers.Get().(*[]byte)
	for _, rec := range recs {
		*buf = append(append(*buf, rec...), '\n')
	}
	n, err = s.file.Write(*buf)
	giveBack(buf)
	return n, err
}

// giveBack keeps a buffer for its next use.
func giveBack(buf *[]byte) {
	if cap(*buf) <= maxKept {
		*buf = (*buf)[:0]
		buffers.Put(buf)
	}
}

// undo removes the last n bytes, which the append under way has written, and reports
// whether the file is as it was before. It never removes bytes of another program.
func (s *stream) undo(n int) bool {
	info, err := s.file.Stat()
	if err != nil || info.Size() != s.size+int64(n) {
		return false
	}
	return n == 0 || truncate(s.store.fs, s.path(), s.size) == nil
}

// makeDurable syncs what was written, if the options of the store ask for it.
func (s *stream) makeDurable(asked bool) error {
	if s.store.sync == SyncAlways || s.store.sync == SyncTurn && asked {
		return s.store.commits.sync(s)
	}
	return nil
}

// added makes recs, which are stored, visible to readers.
func (s *stream) added(recs [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rec := range recs {
		s.add(s.size)
		s.size += int64(len(rec)) + 1
	}
}

// add counts a record that begins at off.
func (s *stream) add(off int64) {
	if s.count%stride == 0 {
		s.index = append(s.index, off)
	}
	s.count++
}

func (s *stream) failed(err error) error { return failed("files.Append", s.path(), err) }
