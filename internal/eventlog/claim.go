package eventlog

import "github.com/sidestick-dev/sidestick/internal/fault"

// Claim is [Stream.Claim]. It publishes what others have recorded since, in
// order, as if it had been appended here, and returns how many records that
// were. If they cannot be read, the claim is given back, and the next Claim goes
// on from there.
func (l *Log) Claim() (fresh uint64, err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.isClosed() {
		return 0, ErrClosed
	}
	if err := l.stream.Claim(); err != nil {
		return 0, err
	}
	before := l.Len()
	err = l.tellStored(before + 1)
	if err != nil {
		l.stream.Release()
	}
	return l.Len() - before, err
}

// tellStored publishes the records from position from to the last.
func (l *Log) tellStored(from uint64) error {
	for rec, err := range l.stream.Read(from) {
		if err != nil {
			return err
		}
		l.tell(rec.JSON)
	}
	if told, stored := l.Len(), l.stream.Len(); told != stored {
		return fault.New(fault.Internal, "eventlog.Claim", "", "storage ends at record %d of %d", told, stored)
	}
	return nil
}

// Release is [Stream.Release].
func (l *Log) Release() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.stream.Release()
}

// Others is [Stream.Others].
func (l *Log) Others() int { return l.stream.Others() }
