package eventlog

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Claim is [Stream.Claim]. It publishes what others have recorded since this log was last
// the owner, in order, as if it had been appended here. If that cannot be read, Claim
// gives the claim back and returns the error; the next Claim continues from there. ctx ends
// that reading, too.
func (l *Log) Claim(ctx context.Context, owner string) (Hold, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.isClosed() {
		return nil, ErrClosed
	}
	lease, err := l.stream.Claim(ctx, owner)
	if err != nil {
		return nil, err
	}
	if err := l.publishStored(ctx, l.Len()+1); err != nil {
		lease.Release()
		return nil, err
	}
	l.lease = lease
	return lease, nil
}

// publishStored publishes the records from position from to the last.
func (l *Log) publishStored(ctx context.Context, from uint64) error {
	for rec, err := range l.stream.Read(ctx, from) {
		if err == nil {
			err = l.complete(ctx, &rec)
		}
		if err != nil {
			return err
		}
		l.publishPersisted(rec.JSON)
	}
	if published, stored := l.Len(), l.stream.Len(); published != stored {
		return fault.New(fault.Internal, "eventlog.Claim", "", "storage ends at record %d of %d", published, stored)
	}
	return nil
}

// Release gives the claim back; see [Lease.Release]. Without a claim it does nothing.
func (l *Log) Release() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.release()
}

// release is Release for a caller that holds l.writing.
func (l *Log) release() {
	if l.lease != nil {
		l.lease.Release()
		l.lease = nil
	}
}

// Others is [Stream.Others].
func (l *Log) Others() (owner string, known bool) { return l.stream.Others() }

// Keeping is [Stream.Keeping].
func (l *Log) Keeping() Keeping { return l.stream.Keeping() }
