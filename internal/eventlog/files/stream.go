package files

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// stride is how many records share an entry of the index in memory: a read begins at
// most so many records early, and an open log of a million records costs 125 KB.
const stride = 64

// stream is an open log.
type stream struct {
	store  *Store
	dir    string
	file   vfs.File // opened with O_APPEND
	number uint64   // counts the streams of the store in the order of their opening
	repair *Repair  // by Open; nil if there was nothing to repair

	// For the goroutine that appends.
	named   bool   // the names of the log, its folder and the root are durable
	broken  error  // why nothing more can be appended
	lease   *lease // nil without a claim
	synced  uint64 // how many records are on disk for certain
	sidecar sidecar

	// growing is held while the end of the log moves on by what others have appended, and
	// while the lease begins or ends; so what is above does not change under it.
	growing sync.Mutex
	last    mark // guarded by growing: the end of what was adopted since the last claim
	changed bool // guarded by growing: others have done more than append, as the next claim reports

	mu     sync.Mutex // guards the rest against readers; never held across I/O
	count  uint64     // records
	size   int64      // bytes of the file
	index  []int64    // where records 1, 1+stride, 1+2*stride, … begin
	closed bool
	// adopted is the position of the last record that was noticed between claims; see adopt.
	adopted uint64
}

func (s *stream) path() string { return filepath.Join(s.dir, logName) }

// Notice implements [eventlog.Stream]. It reports a repair.
func (s *stream) Notice() string { return s.repair.notice() }

// Read implements [eventlog.Stream]. Memory is bounded by the longest line. Records
// share memory with those next to them, some 64 KiB: copy one that you keep for long.
func (s *stream) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	from = max(from, 1)
	if from > s.count && !s.closed {
		return func(func(eventlog.Record, error) bool) {}
	}
	size, index := s.size, s.index
	return func(yield func(eventlog.Record, error) bool) {
		if s.isClosed() {
			yield(eventlog.Record{}, eventlog.ErrClosed)
			return
		}
		entry := (from - 1) / stride
		pos := entry*stride + 1
		l := newLines(s.file, index[entry], size)
		l.fresh = true
		for ; ; pos++ {
			rec, err := readTidy(l)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(eventlog.Record{}, failed("files.Read", s.path(), err))
				return
			}
			if err := ctx.Err(); err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			if pos >= from && !yield(eventlog.Record{Pos: pos, JSON: rec}, nil) {
				return
			}
		}
	}
}

// readTidy returns the next record of a log that is tidy, as an open one is. It
// refuses a line that cannot be a record, without parsing it again.
func readTidy(l *lines) ([]byte, error) {
	line, err := l.read()
	if err != nil {
		return nil, err
	}
	rec := line.body()
	if !line.ended() || len(rec) < 2 || rec[0] != '{' || rec[len(rec)-1] != '}' {
		return nil, errRewritten
	}
	return rec[:len(rec):len(rec)], nil
}

// Keeping implements [eventlog.Stream]. A claim takes microseconds, so none is kept, and a
// local disk answers, so nothing is bounded; see docs/decisions/0008-two-processes.md.
func (s *stream) Keeping() eventlog.Keeping { return eventlog.Keeping{} }

// Len implements [eventlog.Stream].
func (s *stream) Len() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Size implements [eventlog.Stream].
func (s *stream) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

func (s *stream) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close implements [eventlog.Stream].
func (s *stream) Close() error {
	s.growing.Lock() // waits for a look under way
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	owner := s.last == mark{}
	s.growing.Unlock()
	if again {
		return nil
	}
	if s.broken == nil && owner { // the index of records that were adopted is for their owner to write
		s.writeIndex()
	}
	s.lose(eventlog.ErrClosed)
	if err := s.file.Close(); err != nil {
		return failed("files.Close", s.path(), err)
	}
	return nil
}
