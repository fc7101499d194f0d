package clientfs

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// lease is a claim on a log. The mutex of its session guards err.
type lease struct {
	stream *stream
	owner  string
	epoch  uint64
	lost   chan struct{}
	err    error // why lost is closed
}

var _ eventlog.Lease = (*lease)(nil)

// Claim implements [eventlog.Stream]. The epoch is one more than there are records, so it is
// higher than that of every owner that has appended something, in whichever process.
func (s *stream) Claim(ctx context.Context, owner string) (eventlog.Lease, error) {
	held, err := s.reserve(ctx, owner)
	if err != nil || held.epoch != 0 {
		return held, err
	}
	end, err := s.catchUp(ctx)
	if err != nil {
		held.Release()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end, held.epoch = end, end.records+1
	return held, nil
}

// reserve keeps other streams of this process from claiming the log. It returns the claim that
// the stream has already, or a new one without an epoch.
func (s *stream) reserve(ctx context.Context, owner string) (*lease, error) {
	const op = "clientfs.Claim"
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.closed:
		return nil, eventlog.ErrClosed
	case s.lease != nil:
		return s.lease, nil
	case s.holder != nil:
		return nil, fault.New(fault.Conflict, op, s.session, "%s is at work in the session", s.holder.owner)
	case s.deleted:
		return nil, fault.New(fault.NotFound, op, s.session, "the session was deleted")
	case s.broken != nil:
		return nil, s.broken
	}
	s.lease = &lease{stream: s, owner: owner, lost: make(chan struct{})}
	s.holder = s.lease
	return s.lease, nil
}

// catchUp returns the extent of the log with what others have appended.
func (s *stream) catchUp(ctx context.Context) (extent, error) {
	const op = "clientfs.Claim"
	info, err := s.stat(ctx, logName)
	if err != nil || s.end.has(info.Size) {
		return s.end, failed(op, s.session, err)
	}
	text, err := s.read(ctx, logName)
	if err != nil {
		return s.end, failed(op, s.session, err)
	}
	if !s.end.begins(text) {
		return s.end, changed(op, s.session)
	}
	_, e, bad := parse(text)
	if len(bad) > 0 {
		return s.end, changed(op, s.session)
	}
	return e, nil
}

// Epoch implements [eventlog.Hold].
func (l *lease) Epoch() uint64 { return l.epoch }

// Lost implements [eventlog.Hold].
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Wanted implements [eventlog.Hold]. It is nil, because no claim is kept.
func (l *lease) Wanted() <-chan struct{} { return nil }

// Err implements [eventlog.Hold].
func (l *lease) Err() error {
	l.stream.mu.Lock()
	defer l.stream.mu.Unlock()
	return l.err
}

// lose ends the lease for a reason. The caller holds the mutex of the session.
func (l *lease) lose(why error) {
	l.err = why
	close(l.lost)
	l.end()
}

// end frees the claim. The caller holds the mutex of the session.
func (l *lease) end() {
	l.stream.lease = nil
	if l.stream.holder == l {
		l.stream.holder = nil
	}
}

// Release implements [eventlog.Lease].
func (l *lease) Release() {
	l.stream.mu.Lock()
	defer l.stream.mu.Unlock()
	if l.stream.lease == l {
		l.end()
	}
}

// mayWrite returns the end of the log, or why nothing can be stored under the lease.
func (l *lease) mayWrite(ctx context.Context, op string) (extent, error) {
	s := l.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return s.end, eventlog.ErrClosed
	case l.err != nil:
		return s.end, l.err
	case s.lease != l:
		return s.end, fault.New(fault.Conflict, op, s.session, "the lease was released")
	case s.broken != nil:
		return s.end, s.broken
	}
	return s.end, ctx.Err()
}

// Append implements [eventlog.Lease]. The client decides how durable a record is.
func (l *lease) Append(ctx context.Context, at uint64, recs [][]byte, _ bool) error {
	const op = "clientfs.Append"
	s := l.stream
	end, err := l.mayWrite(ctx, op)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, rec := range recs {
		if !isRecord(rec) {
			return fault.New(fault.Invalid, op, s.session, "a record is not a JSON object on one line of at most %d bytes", eventlog.MaxRecord)
		}
		text.WriteString(toLine(rec))
	}
	if at != end.records {
		return fault.New(fault.Conflict, op, s.session, "the log has %d records, and the caller believes %d", end.records, at)
	}
	if len(recs) == 0 {
		return nil
	}
	next := end.then(text.String(), len(recs))
	if next.escaped > maxLog {
		return &fault.Error{
			Op: op, On: s.session, Kind: fault.Unavailable, Hint: "start another session",
			Err: errLong{},
		}
	}
	err = s.append(ctx, logName, text.String())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.broken = unavailable("appendFile", err)
		return s.broken
	}
	s.end = next
	return nil
}

type errLong struct{}

func (errLong) Error() string {
	return "the log has 60 MiB, and a client cannot send a longer one in one message"
}
