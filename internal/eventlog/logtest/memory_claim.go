package logtest

import (
	"os"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func (s *stream) Claim() error {
	const op = "memory.Claim"
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if s.closed {
		return eventlog.ErrClosed
	}
	if err := s.mayWrite(op); err != nil {
		return err
	}
	if s.stored.deleted {
		return fault.New(fault.NotFound, op, "", "the session was deleted")
	}
	s.stored.writer, s.len = s, len(s.stored.records)
	return nil
}

func (s *stream) Release() {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	s.release()
}

func (s *stream) Others() int {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if s.closed {
		return -1
	}
	if s.stored.open > 1 {
		return os.Getpid()
	}
	return 0
}

// mayWrite says that another stream has the claim, if so. The caller holds
// stored.mu, as that of release does.
func (s *stream) mayWrite(op string) error {
	if w := s.stored.writer; w != nil && w != s {
		return fault.New(fault.Conflict, op, "", "another stream is at work in the session")
	}
	return nil
}

func (s *stream) release() {
	if s.stored.writer == s {
		s.stored.writer = nil
	}
}
