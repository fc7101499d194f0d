package clientfs

import (
	"context"
	"iter"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// stream is the log of a session. Its fields are guarded by stored.mu.
type stream struct {
	*stored
	end    extent
	notice string
	lease  *lease
	closed bool
	broken error // of an append that may have stored something
}

var _ eventlog.Stream = (*stream)(nil)

// Read implements [eventlog.Stream].
func (s *stream) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	s.mu.Lock()
	end := s.end
	s.mu.Unlock()
	return func(yield func(eventlog.Record, error) bool) {
		err := s.usable(ctx)
		var text string
		if err == nil && from <= end.records {
			text, err = s.upTo(ctx, end)
		}
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		records(ctx, text, from)(yield)
	}
}

func (s *stream) usable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return eventlog.ErrClosed
	}
	return ctx.Err()
}

// upTo reads the log up to an extent that it had.
func (s *stream) upTo(ctx context.Context, end extent) (string, error) {
	text, err := s.read(ctx, logName)
	if err != nil {
		return "", failed("clientfs.Read", s.session, err)
	}
	if !end.begins(text) {
		return "", changed("clientfs.Read", s.session)
	}
	return text[:end.bytes], nil
}

// changed is the error for a log that was changed otherwise than by appending.
func changed(op, session string) error {
	return &fault.Error{
		Op: op, On: session, Kind: fault.Conflict, Err: errChanged{},
		Hint: "resume the session again when no client is attached to it",
	}
}

type errChanged struct{}

func (errChanged) Error() string {
	return "the log was changed in the storage of the client, otherwise than by adding to its end"
}

// records yields the records of a log from position from on. All lines of text are records.
func records(ctx context.Context, text string, from uint64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		pos := uint64(0)
		for line := range strings.Lines(text) {
			if pos++; pos < from {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(eventlog.Record{}, err)
				return
			}
			rec, _ := toRecord(strings.TrimSuffix(line, "\n"))
			if !yield(eventlog.Record{Pos: pos, JSON: rec}, nil) {
				return
			}
		}
	}
}

// Others implements [eventlog.Stream]. Other programs that use the storage are not known.
func (s *stream) Others() (owner string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", false
	case s.holder != nil && s.holder != s.lease:
		return s.holder.owner, true
	case s.streams > 1:
		return eventlog.ThisProcess(), true
	}
	return "", true
}

// Watch implements [eventlog.Stream]. The methods of a client tell nobody that a file has grown.
func (s *stream) Watch(uint64, func(length uint64)) (stop func(), known bool) {
	return func() {}, false
}

// Notice implements [eventlog.Stream].
func (s *stream) Notice() string { return s.notice }

// Keeping implements [eventlog.Stream]. A claim calls nobody, and [Options.Wait] bounds the calls.
func (s *stream) Keeping() eventlog.Keeping { return eventlog.Keeping{} }

// Len implements [eventlog.Stream].
func (s *stream) Len() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.records
}

// Size implements [eventlog.Stream].
func (s *stream) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.bytes
}

// Close implements [eventlog.Stream]. It calls nothing.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.streams--
		if s.lease != nil {
			s.lease.lose(eventlog.ErrClosed)
		}
	}
	return nil
}
