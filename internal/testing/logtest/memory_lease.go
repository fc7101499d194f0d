package logtest

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// lease is a claim on a session of a Memory.
type lease struct {
	stream *stream
	owner  string
	epoch  uint64
	lost   chan struct{}
	wanted chan struct{}
	asked  bool  // guarded by stored.mu; wanted is closed
	err    error // guarded by stored.mu; why lost is closed
}

var _ eventlog.Lease = (*lease)(nil)

// Claim implements [eventlog.Stream].
func (s *stream) Claim(ctx context.Context, owner string) (eventlog.Lease, error) {
	const op = "memory.Claim"
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	switch holder := s.stored.holder; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.closed:
		return nil, eventlog.ErrClosed
	case s.lease != nil:
		return s.lease, nil
	case holder != nil:
		holder.want()
		return nil, fault.New(fault.Conflict, op, "", "%s is at work in the session", holder.owner)
	case s.stored.deleted:
		return nil, fault.New(fault.NotFound, op, "", "the session was deleted")
	}
	return s.claim(owner), nil
}

// claim makes s the one that appends. The caller holds stored.mu.
func (s *stream) claim(owner string) *lease {
	s.stored.epoch++
	s.lease = &lease{stream: s, owner: owner, epoch: s.stored.epoch, lost: make(chan struct{}), wanted: make(chan struct{})}
	s.stored.holder, s.len = s.lease, len(s.stored.records)
	return s.lease
}

// TakeOver opens a session for owner and claims it at once: a stream that has claimed
// it loses its lease. It is for tests, on the goroutine of the test; nil if there is no
// such session. Close the stream when done.
func (m *Memory) TakeOver(session, owner string) (eventlog.Stream, eventlog.Lease) {
	found, err := m.find(context.Background(), "memory.TakeOver", session)
	if err != nil {
		return nil, nil
	}
	s := found.stream()
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	if holder := s.stored.holder; holder != nil {
		holder.lose(eventlog.TakenOver("memory", session, owner))
	}
	return s, s.claim(owner)
}

// Others implements [eventlog.Stream].
func (s *stream) Others() (owner string, known bool) {
	s.stored.mu.Lock()
	defer s.stored.mu.Unlock()
	switch holder := s.stored.holder; {
	case s.closed:
		return "", false
	case holder != nil && holder != s.lease:
		return holder.owner, true
	case s.stored.open > 1:
		return eventlog.ThisProcess(), true
	}
	return "", true
}

// Others implements [eventlog.Store].
func (m *Memory) Others(ctx context.Context, session string) (owner string, known bool, err error) {
	s, err := m.find(ctx, "memory.Others", session)
	if err != nil {
		return "", false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.holder != nil:
		return s.holder.owner, true, nil
	case s.open > 0:
		return eventlog.ThisProcess(), true, nil
	}
	return "", true, nil
}

// Epoch implements [eventlog.Hold].
func (l *lease) Epoch() uint64 { return l.epoch }

// Lost implements [eventlog.Hold].
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Wanted implements [eventlog.Hold].
func (l *lease) Wanted() <-chan struct{} { return l.wanted }

// want tells the owner that another one asks for the claim. The caller holds stored.mu.
func (l *lease) want() {
	if !l.asked {
		l.asked = true
		close(l.wanted)
	}
}

// Err implements [eventlog.Hold].
func (l *lease) Err() error {
	l.stream.stored.mu.Lock()
	defer l.stream.stored.mu.Unlock()
	return l.err
}

// lose ends the lease for a reason. The caller holds stored.mu.
func (l *lease) lose(why error) {
	l.err = why
	close(l.lost)
	l.end()
}

// end frees the claim. The caller holds stored.mu.
func (l *lease) end() {
	l.stream.lease = nil
	if l.stream.stored.holder == l {
		l.stream.stored.holder = nil
	}
}

// Release implements [eventlog.Lease].
func (l *lease) Release() {
	l.stream.stored.mu.Lock()
	defer l.stream.stored.mu.Unlock()
	if l.stream.lease == l {
		l.end()
	}
}

// mayWrite returns why nothing can be stored under the lease; nil if something can. The
// caller holds stored.mu.
func (l *lease) mayWrite(ctx context.Context, op string) error {
	switch {
	case l.stream.closed:
		return eventlog.ErrClosed
	case l.err != nil:
		return l.err
	case l.stream.lease != l:
		return fault.New(fault.Conflict, op, "", "the lease was released")
	}
	return ctx.Err()
}

// Append implements [eventlog.Lease].
func (l *lease) Append(ctx context.Context, at uint64, recs [][]byte, _ bool) error {
	if err := l.append(ctx, at, recs); err != nil {
		return err
	}
	l.stream.stored.tell()
	return nil
}

func (l *lease) append(ctx context.Context, at uint64, recs [][]byte) error {
	const op = "memory.Append"
	s, stored := l.stream, l.stream.stored
	stored.mu.Lock()
	defer stored.mu.Unlock()
	if err := l.mayWrite(ctx, op); err != nil {
		return err
	}
	for _, rec := range recs {
		if !isRecord(rec) {
			return fault.New(fault.Invalid, op, "", "a record is not a JSON object on one line of at most %d bytes", eventlog.MaxRecord)
		}
	}
	if at != uint64(s.len) {
		return fault.New(fault.Conflict, op, "", "log is at %d, caller expected %d", s.len, at)
	}
	for _, rec := range recs {
		stored.records = append(stored.records, bytes.Clone(rec))
		stored.size += int64(len(rec)) + 1
	}
	s.len, stored.modified = len(stored.records), time.Now()
	stored.wake()
	return nil
}

func isRecord(rec []byte) bool {
	return len(rec) <= eventlog.MaxRecord && bytes.HasPrefix(rec, []byte("{")) && bytes.HasSuffix(rec, []byte("}")) &&
		bytes.IndexByte(rec, '\n') < 0 && json.Valid(rec)
}

// Put implements [eventlog.Lease].
func (l *lease) Put(ctx context.Context, data []byte) (name string, err error) {
	const op = "memory.Put"
	stored := l.stream.stored
	stored.mu.Lock()
	defer stored.mu.Unlock()
	if err := l.mayWrite(ctx, op); err != nil {
		return "", err
	}
	if len(data) > eventlog.MaxPayload {
		return "", fault.New(fault.Invalid, op, "", "a payload has %d bytes, above the limit of %d", len(data), eventlog.MaxPayload)
	}
	name = eventlog.PayloadName(data)
	if stored.payloads == nil {
		stored.payloads = map[string][]byte{}
	}
	stored.payloads[name] = bytes.Clone(data)
	return name, nil
}
