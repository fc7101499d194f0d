package logtest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// watch is one call of [stream.Watch].
type watch struct {
	stream *stream
	grown  func(length uint64)
	told   int // records; guarded by calling

	calling sync.Mutex // held while grown is called
	stopped bool       // guarded by calling
}

// Watch implements [eventlog.Stream]. It calls grown on the goroutine that appends.
func (s *stream) Watch(after uint64, grown func(length uint64)) (stop func(), known bool) {
	s.stored.mu.Lock()
	if s.closed {
		s.stored.mu.Unlock()
		return func() {}, false
	}
	w := &watch{stream: s, grown: grown, told: int(after)}
	s.stored.watches = append(s.stored.watches, w)
	s.stored.mu.Unlock()
	w.tell()
	return func() {
		s.stored.mu.Lock()
		s.stored.unwatch(func(other *watch) bool { return other == w })
		s.stored.mu.Unlock()
		w.calling.Lock()
		defer w.calling.Unlock()
		w.stopped = true
	}, true
}

// unwatch ends some watches. The caller holds s.mu.
func (s *stored) unwatch(which func(*watch) bool) {
	s.watches = slices.DeleteFunc(s.watches, which)
}

// tell reports to those who watch that there are new records.
func (s *stored) tell() {
	s.mu.Lock()
	all := slices.Clone(s.watches)
	s.mu.Unlock()
	for _, w := range all {
		w.tell()
	}
}

// tell calls grown if others have appended something.
func (w *watch) tell() {
	w.calling.Lock()
	defer w.calling.Unlock()
	length, foreign := w.take()
	if foreign && length > w.told && !w.stopped {
		w.grown(uint64(length))
	}
	w.told = max(w.told, length)
}

// take makes what others have appended visible to the stream, and returns how many records
// there are. foreign is false while the stream is the owner.
func (w *watch) take() (length int, foreign bool) {
	s := w.stream
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if s.lease == nil && !s.closed {
		s.len = len(s.stored.records)
	}
	return s.len, s.lease == nil && !s.closed
}

// wake has those look again who wait in Follow. The caller holds s.mu.
func (s *stored) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Follow implements [eventlog.Store]. Nothing is ever done to a log other than appending.
func (m *Memory) Follow(ctx context.Context, session string, after uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		s, err := m.find(ctx, "memory.Follow", session)
		for pos := after; err == nil; {
			var records [][]byte
			var changed <-chan struct{}
			if records, changed, err = s.since(session, pos); err == nil && len(records) == 0 {
				select {
				case <-changed:
				case <-ctx.Done():
				}
			}
			for _, rec := range records {
				if err = ctx.Err(); err != nil {
					break
				}
				pos++
				if !yield(eventlog.Record{Pos: pos, JSON: rec}, nil) {
					return
				}
			}
			if err == nil {
				err = ctx.Err()
			}
		}
		yield(eventlog.Record{}, err)
	}
}

// since returns the records behind a position, and a channel that is closed when there is
// something to look at again.
func (s *stored) since(session string, pos uint64) (records [][]byte, changed <-chan struct{}, err error) {
	const op = "memory.Follow"
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n := uint64(len(s.records)); {
	case pos > n:
		return nil, nil, fault.New(fault.Conflict, op, session, "cursor %d is past the end of the log at %d", pos, n)
	case pos == n && s.deleted:
		return nil, nil, fault.New(fault.NotFound, op, session, "the session was deleted")
	}
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return slices.Clip(s.records[pos:]), s.changed, nil
}
