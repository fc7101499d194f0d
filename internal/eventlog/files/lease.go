package files

import (
	"context"
	"errors"
	"io/fs"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// lease is the claim of a stream on its log. The operating system keeps the claim, as a
// lock on the file, and nothing is stored for it.
type lease struct {
	stream *stream
	// epoch is derived: the position that the first record under this lease would get.
	// So it is higher than that of every earlier owner that has appended something.
	// After a loss of power it can be lower than before, if records were lost. No lease
	// survives that.
	epoch uint64
	lost  chan struct{}
	err   error // guarded by stream.mu; why lost is closed
}

var _ eventlog.Lease = (*lease)(nil)

// Claim implements [eventlog.Stream]. It ignores the name of the owner: others learn the
// process from the lock.
func (s *stream) Claim(ctx context.Context, _ string) (eventlog.Lease, error) {
	const op = "files.Claim"
	switch {
	case s.isClosed():
		return nil, eventlog.ErrClosed
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.broken != nil:
		return nil, s.inDoubt(op)
	case s.lease != nil:
		return s.lease, nil
	}
	s.growing.Lock()
	defer s.growing.Unlock()
	if err := s.store.claim(op, s.path(), s.file); err != nil {
		return nil, err
	}
	info, err := s.stillThere(op)
	if err == nil {
		err = s.catchUp(info.Size())
	}
	if err != nil {
		s.file.Unclaim(vfs.ClaimWrite)
		return nil, failed(op, s.path(), err)
	}
	s.lease = &lease{stream: s, epoch: s.count + 1, lost: make(chan struct{})}
	return s.lease, nil
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

// Release implements [eventlog.Lease]. It is where a deletion is noticed that no append has
// noticed: a file that was removed can still be written.
func (l *lease) Release() {
	if l.stream.lease == l {
		l.stream.check()
		l.drop()
	}
}

// drop gives the claim back.
func (l *lease) drop() {
	s := l.stream
	if s.lease == l {
		s.growing.Lock()
		defer s.growing.Unlock()
		s.lease = nil
		s.file.Unclaim(vfs.ClaimWrite)
	}
}

// lose ends the lease of the stream, if there is one, for a reason.
func (s *stream) lose(why error) {
	l := s.lease
	if l == nil {
		return
	}
	s.mu.Lock()
	l.err = why
	s.mu.Unlock()
	l.drop()
	close(l.lost)
}

// held returns why nothing can be stored under the lease; nil if something can.
func (l *lease) held(ctx context.Context, op string) error {
	s := l.stream
	s.mu.Lock()
	closed, lost := s.closed, l.err
	s.mu.Unlock()
	switch {
	case closed:
		return eventlog.ErrClosed
	case lost != nil:
		return lost
	case s.lease != l:
		return fault.New(fault.Conflict, op, s.path(), "the lease was released")
	}
	return ctx.Err()
}

// stillThere describes the log. It returns [fault.NotFound] if the session was deleted,
// or its log replaced, since this stream has opened it.
func (s *stream) stillThere(op string) (fs.FileInfo, error) {
	mine, err := s.file.Stat()
	if err != nil {
		return nil, err
	}
	here, err := s.store.fs.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !vfs.SameFile(here, mine):
		return nil, fault.New(fault.NotFound, op, s.path(), "another process has deleted the session")
	}
	return mine, err
}

// check loses the lease if the session was deleted or its log replaced by a program that
// does not ask for the claim. It is called when the lease is released, and when something
// has failed that a deletion may explain.
func (s *stream) check() {
	if _, err := s.stillThere("files.Append"); fault.KindOf(err) == fault.NotFound && err != nil {
		s.lose(err)
	}
}
