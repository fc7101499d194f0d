package eventlog

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Tail is one reader of a [Log]: a cursor, and a queue of what was published
// since it last looked. [Log.Tail] makes one; Close it when done.
//
// One goroutine at a time ranges over Records. Missed and Close are safe for
// concurrent use.
type Tail struct {
	log  *Log
	wake chan struct{} // capacity 1: there is something to take, or an end

	// Guarded by log.mu. Persisted records that are missing between two of the
	// queue are in storage.
	queue     []Record
	queued    int    // bytes in queue
	kept      int    // records in queue that stay there
	keptBytes int    // and their bytes
	dropped   uint64 // ephemeral records that went with an emptied queue
	missed    uint64 // as much of dropped as lies behind the reader
	gone      bool   // closed, or at the end of a closed log

	// Of the goroutine that ranges. What it delivers next is the stored records
	// after cursor up to upTo, then batch.
	cursor uint64 // Seq of the last persisted record delivered
	upTo   uint64
	batch  []Record
	passed uint64 // ephemeral events published before the Tail was made, and delivered since
}

// Records yields every record after the cursor, first from storage, then live,
// with no gap and no repeat.
//
// The last pair yielded carries the reason for stopping: ctx.Err() as soon as
// ctx is done; [ErrClosed] when the log was closed and everything published
// before has been delivered, or at once when the Tail was closed;
// [fault.Conflict] if the cursor is past the end of the log, so of another
// history; or an error of storage.
//
// A slow caller holds up nobody: once [Options.Lag] records behind, it reads
// from storage until it has caught up, and [Tail.Missed] counts the ephemeral
// records that are gone. Those that were emitted to be kept come all the same, in
// their place.
//
// Leaving the loop, or being ended by ctx, ends nothing else: ranging over
// Records again goes on after the last record yielded.
func (t *Tail) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !t.hold() {
			yield(Record{}, ErrClosed)
			return
		}
		defer t.log.release()
		for t.deliverStored(ctx, yield) && t.deliverBatch(ctx, yield) {
			if err := t.wait(ctx); err != nil {
				yield(Record{}, err)
				return
			}
		}
	}
}

// Missed is how many ephemeral events, counted as they were published, were
// dropped because the reader was too slow for them. It grows when the reader
// comes to the gap: those it counts stood after the last record yielded before it
// grew, and before the next ephemeral one that is not a kept one.
func (t *Tail) Missed() uint64 {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.missed
}

// Pending reports whether Records would yield a record now, without waiting for
// one to be published. It is for the goroutine that ranges.
func (t *Tail) Pending() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return !t.gone && (t.cursor < t.upTo || len(t.batch) > 0 || len(t.queue) > 0)
}

// Close ends the Tail and frees its queue. A loop over Records ends with
// [ErrClosed] at the latest once it has delivered what it had taken. Closing
// twice does nothing.
func (t *Tail) Close() {
	t.log.mu.Lock()
	again := t.gone
	t.gone = true
	t.queue = nil
	t.log.leave(t)
	t.signal()
	t.log.mu.Unlock()
	if !again {
		t.log.release()
	}
}

// hold keeps the stream open while Records runs, even if the Tail is closed
// meanwhile, or reports that the Tail is at its end.
func (t *Tail) hold() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.gone {
		return false
	}
	t.log.users++
	return true
}

// deliverStored yields what is only in storage. It reports false when the loop
// is over.
func (t *Tail) deliverStored(ctx context.Context, yield func(Record, error) bool) bool {
	switch {
	case t.cursor < t.upTo:
		return t.readStored(ctx, yield)
	case t.cursor > t.upTo:
		yield(Record{}, fault.New(fault.Conflict, "eventlog.Tail", "",
			"cursor %d is past the end of the log at %d", t.cursor, t.upTo))
		return false
	}
	return true
}

// readStored is apart from deliverStored because its loop costs an allocation,
// which nobody shall pay for each delta.
func (t *Tail) readStored(ctx context.Context, yield func(Record, error) bool) bool {
	for rec, err := range t.log.stream.Read(t.cursor + 1) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(Record{}, err)
			return false
		}
		t.cursor = rec.Seq
		if !yield(rec, nil) {
			return false
		}
		if t.cursor == t.upTo {
			return true // what follows is in the batch
		}
	}
	yield(Record{}, fault.New(fault.Internal, "eventlog.Tail", "", "storage ends at record %d of %d", t.cursor, t.upTo))
	return false
}

// deliverBatch yields what was taken from the queue. It reports false when the
// loop is over.
func (t *Tail) deliverBatch(ctx context.Context, yield func(Record, error) bool) bool {
	for len(t.batch) > 0 {
		if err := ctx.Err(); err != nil {
			yield(Record{}, err)
			return false
		}
		rec := t.batch[0]
		if t.upTo = rec.before(); t.cursor < t.upTo && !t.readStored(ctx, yield) {
			return false
		}
		t.batch[0] = Record{} // the reader may be the last to need it
		t.batch = t.batch[1:]
		if !rec.Ephemeral {
			t.cursor, t.upTo = rec.Seq, rec.Seq
		} else {
			t.passed += rec.events()
		}
		if !yield(rec, nil) {
			return false
		}
	}
	t.batch = nil
	return true
}

// wait returns once there is something to deliver, or with the reason why
// there will be nothing.
func (t *Tail) wait(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if some, err := t.take(); some || err != nil {
			return err
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
		}
	}
}
