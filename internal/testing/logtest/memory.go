package logtest

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Memory is a store in memory: the contract and nothing else, except that
// [Memory.TakeOver] makes a stream lose its lease. The zero value is ready.
type Memory struct {
	// Keep is what the streams tell their owners; set it before the first stream is opened.
	Keep eventlog.Keeping

	mu       sync.Mutex
	sessions map[string]*stored
}

// stored is a session of a Memory.
type stored struct {
	mu       sync.Mutex // guards the rest, and the streams
	records  [][]byte
	payloads map[string][]byte
	size     int64
	modified time.Time
	holder   *lease // nil: nobody has claimed the session
	epoch    uint64 // of the last claim
	open     int    // streams
	deleted  bool
	keeping  eventlog.Keeping
	watches  []*watch
	changed  chan struct{} // closed at the next append and when the session is deleted; nil if nobody waits
}

// stream returns an open stream at the end of s.
func (s *stored) stream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &stream{stored: s, len: len(s.records)}
}

var _ eventlog.Store = (*Memory)(nil)

// NewStream returns the stream of a session in a store of its own.
func NewStream() eventlog.Stream {
	return (&stored{}).stream()
}

// Create implements [eventlog.Store].
func (m *Memory) Create(ctx context.Context, session string) (eventlog.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if session == "" {
		return nil, fault.New(fault.Invalid, "memory.Create", "", "a session id is empty")
	}
	if m.sessions[session] != nil {
		return nil, fault.New(fault.Conflict, "memory.Create", session, "the session exists")
	}
	if m.sessions == nil {
		m.sessions = map[string]*stored{}
	}
	s := &stored{modified: time.Now(), keeping: m.Keep}
	m.sessions[session] = s
	return s.stream(), nil
}

// Open implements [eventlog.Store].
func (m *Memory) Open(ctx context.Context, session string) (eventlog.Stream, error) {
	s, err := m.find(ctx, "memory.Open", session)
	if err != nil {
		return nil, err
	}
	return s.stream(), nil
}

// Delete implements [eventlog.Store].
func (m *Memory) Delete(ctx context.Context, session string) error {
	const op = "memory.Delete"
	s, err := m.find(ctx, op, session)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder != nil {
		s.holder.want()
		return fault.New(fault.Conflict, op, session, "%s is at work in the session", s.holder.owner)
	}
	s.deleted = true
	s.wake()
	delete(m.sessions, session)
	return nil
}

// Sessions implements [eventlog.Store].
func (m *Memory) Sessions(ctx context.Context) ([]eventlog.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var infos []eventlog.Info
	for id, s := range m.sessions {
		s.mu.Lock()
		infos = append(infos, eventlog.Info{ID: id, Size: s.size, Modified: s.modified})
		s.mu.Unlock()
	}
	return infos, ctx.Err()
}

// Scan implements [eventlog.Store].
func (m *Memory) Scan(ctx context.Context, session string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		s, err := m.find(ctx, "memory.Scan", session)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		s.mu.Lock()
		records := slices.Clip(s.records)
		s.mu.Unlock()
		read(ctx, records, 1)(yield)
	}
}

// Payload implements [eventlog.Store].
func (m *Memory) Payload(ctx context.Context, session, name string) ([]byte, error) {
	s, err := m.find(ctx, "memory.Payload", session)
	if err != nil {
		return nil, err
	}
	return s.payload(name)
}

func (m *Memory) find(ctx context.Context, op, session string) (*stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case session == "":
		return nil, fault.New(fault.Invalid, op, "", "a session id is empty")
	case s == nil:
		return nil, fault.New(fault.NotFound, op, session, "there is no such session")
	}
	return s, nil
}

// payload returns a copy of a payload, as a store that reads a file does.
func (s *stored) payload(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.payloads[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "memory.Payload", "", "there is no payload %s", name)
	}
	return bytes.Clone(data), nil
}

// stream is an open session of a Memory. len is how many records it knows, so
// that two streams of one session notice each other.
type stream struct {
	stored *stored
	len    int // guarded by stored.mu, as are the rest
	lease  *lease
	closed bool
}

// Read implements [eventlog.Stream].
func (s *stream) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	records := s.stored.records[:s.len]
	return func(yield func(eventlog.Record, error) bool) {
		if s.isClosed() {
			yield(eventlog.Record{}, eventlog.ErrClosed)
			return
		}
		read(ctx, records, from)(yield)
	}
}

// read yields records from position from on.
func read(ctx context.Context, records [][]byte, from uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for pos := max(from, 1); pos <= uint64(len(records)); pos++ {
			if err := ctx.Err(); err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			if !yield(eventlog.Record{Pos: pos, JSON: records[pos-1]}, nil) {
				return
			}
		}
	}
}

// Payload implements [eventlog.Stream].
func (s *stream) Payload(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.stored.payload(name)
}

func (s *stream) isClosed() bool {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return s.closed
}

// Notice implements [eventlog.Stream]. Nothing in memory is ever damaged.
func (s *stream) Notice() string { return "" }

// Keeping implements [eventlog.Stream].
func (s *stream) Keeping() eventlog.Keeping { return s.stored.keeping }

// Len implements [eventlog.Stream].
func (s *stream) Len() uint64 {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return uint64(s.len)
}

// Size implements [eventlog.Stream].
func (s *stream) Size() int64 {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return s.stored.size
}

// Close implements [eventlog.Stream].
func (s *stream) Close() error {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.stored.open--
		s.stored.unwatch(func(w *watch) bool { return w.stream == s })
		if s.lease != nil {
			s.lease.lose(eventlog.ErrClosed)
		}
	}
	return nil
}
