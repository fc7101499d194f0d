package logtest

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Memory is a store in memory: the contract and nothing else. The zero value
// is ready.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*stored
}

// stored is a session of a Memory.
type stored struct {
	mu       sync.Mutex // guards the rest, and the streams
	records  [][]byte
	size     int64
	modified time.Time
	writer   *stream // has the claim
	open     int     // streams
	deleted  bool
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
func (m *Memory) Create(session string) (eventlog.Stream, error) {
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
	s := &stored{modified: time.Now()}
	m.sessions[session] = s
	return s.stream(), nil
}

// Open implements [eventlog.Store]. Nothing in memory is ever damaged.
func (m *Memory) Open(session string) (eventlog.Stream, *eventlog.Repair, error) {
	s, err := m.find("memory.Open", session)
	if err != nil {
		return nil, nil, err
	}
	return s.stream(), nil, nil
}

// Delete implements [eventlog.Store].
func (m *Memory) Delete(session string) error {
	const op = "memory.Delete"
	s, err := m.find(op, session)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		return fault.New(fault.Conflict, op, session, "another stream is at work in the session")
	}
	s.deleted = true
	delete(m.sessions, session)
	return nil
}

// Sessions implements [eventlog.Store].
func (m *Memory) Sessions() ([]eventlog.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var infos []eventlog.Info
	for id, s := range m.sessions {
		s.mu.Lock()
		infos = append(infos, eventlog.Info{ID: id, Size: s.size, Modified: s.modified})
		s.mu.Unlock()
	}
	return infos, nil
}

// Scan implements [eventlog.Store].
func (m *Memory) Scan(session string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		s, err := m.find("memory.Scan", session)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		s.mu.Lock()
		records := slices.Clip(s.records)
		s.mu.Unlock()
		for i, rec := range records {
			if !yield(eventlog.Record{Seq: uint64(i) + 1, JSON: rec}, nil) {
				return
			}
		}
	}
}

func (m *Memory) find(op, session string) (*stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	switch {
	case session == "":
		return nil, fault.New(fault.Invalid, op, "", "a session id is empty")
	case s == nil:
		return nil, fault.New(fault.NotFound, op, session, "there is no such session")
	}
	return s, nil
}

// stream is an open session of a Memory. len is what it believes there is, so
// that two streams on one session notice each other.
type stream struct {
	stored *stored
	len    int // guarded by stored.mu, as is closed
	closed bool
}

func (s *stream) Append(at uint64, recs [][]byte, _ bool) error {
	const op = "memory.Append"
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if s.closed {
		return eventlog.ErrClosed
	}
	if err := s.mayWrite(op); err != nil {
		return err
	}
	for _, rec := range recs {
		if !isRecord(rec) {
			return fault.New(fault.Invalid, op, "", "a record is not a JSON object on one line")
		}
	}
	if s.len != len(s.stored.records) {
		return fault.New(fault.Conflict, op, "", "another stream has written")
	}
	if at != uint64(s.len) {
		return fault.New(fault.Conflict, op, "", "log is at %d, caller expected %d", s.len, at)
	}
	for _, rec := range recs {
		s.stored.records = append(s.stored.records, bytes.Clone(rec))
		s.stored.size += int64(len(rec)) + 1
	}
	s.len, s.stored.modified = len(s.stored.records), time.Now()
	return nil
}

func isRecord(rec []byte) bool {
	return bytes.HasPrefix(rec, []byte("{")) && bytes.HasSuffix(rec, []byte("}")) &&
		bytes.IndexByte(rec, '\n') < 0 && json.Valid(rec)
}

func (s *stream) Read(from uint64) iter.Seq2[eventlog.Record, error] {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	records := s.stored.records[:s.len]
	return func(yield func(eventlog.Record, error) bool) {
		if s.isClosed() {
			yield(eventlog.Record{}, eventlog.ErrClosed)
			return
		}
		for seq := max(from, 1); seq <= uint64(len(records)); seq++ {
			if !yield(eventlog.Record{Seq: seq, JSON: records[seq-1]}, nil) {
				return
			}
		}
	}
}

func (s *stream) isClosed() bool {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return s.closed
}

func (s *stream) Len() uint64 {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return uint64(s.len)
}

func (s *stream) Size() int64 {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	return s.stored.size
}

func (s *stream) Close() error {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.release()
		s.stored.open--
	}
	return nil
}
