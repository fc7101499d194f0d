package eventlog

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Tail is one reader of a [Log]: a cursor, and a queue of what was published
// since it last read. [Log.Tail] makes one; Close it when done.
//
// One goroutine at a time may range over Records. Missed and Close are safe for
// concurrent use.
type Tail struct {
	log  *Log
	wake chan struct{} // capacity 1: there is something to take, or the tail has ended

	// Guarded by log.mu. Persisted records that are missing between two in the
	// queue are in storage.
	queue     []Record
	queued    int    // bytes in queue
	kept      int    // records in queue that an overflow leaves there
	keptBytes int    // and their bytes
	dropped   uint64 // ephemeral events that an emptied queue has lost
	missed    uint64 // those of dropped that the reader has passed
	last      bool   // nothing more is queued: see [Tail.End]
	ended     bool   // closed, or at the end of a closed log or of one that ends
	follows   bool   // see [Log.Follow]
	stored    uint64 // for one that follows: the position up to which others have appended

	// For the goroutine that ranges. It delivers the stored records after cursor up to
	// upTo next, then batch.
	cursor uint64 // position of the last persisted record delivered
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
// [fault.Conflict] if the cursor is past the end of the log, so that it belongs to
// another history; or an error of storage.
//
// A slow reader delays nobody. Once it is [Options.Lag] records behind, it reads
// from storage until it has caught up, and [Tail.Missed] counts the ephemeral
// events that were dropped. Those that were emitted to be kept are delivered, in
// their order.
//
// Leaving the loop, or the end of ctx, does not end the Tail: ranging over
// Records again continues after the last record yielded.
func (t *Tail) Records(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if !t.use() {
			yield(Record{}, ErrClosed)
			return
		}
		defer t.log.leave()
		for t.deliverStored(ctx, yield) && t.deliverBatch(ctx, yield) {
			if err := t.wait(ctx); err != nil {
				yield(Record{}, err)
				return
			}
		}
	}
}

// Missed returns the number of ephemeral events, as they were published, that were dropped
// because the reader was too slow. It grows when the reader reaches a gap. The dropped
// events came after the last record yielded and before the next ephemeral record that was
// not emitted with keep.
func (t *Tail) Missed() uint64 {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.missed
}

// Emit queues an ephemeral event for this reader alone, to be kept as [Log.Emit] says.
// Nothing counts it: a cursor and [Tail.Missed] are about what was published. On a closed
// Tail it does nothing.
func (t *Tail) Emit(json []byte) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if !t.ended && !t.last && !t.log.closed {
		t.push(Record{Pos: t.log.published, Ephemeral: true, Kept: true, JSON: json})
	}
}

// Pending reports whether Records would yield a record now, without waiting for
// one to be published. Only the goroutine that ranges may call it.
func (t *Tail) Pending() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return !t.ended && (t.cursor < max(t.upTo, t.stored) || len(t.batch) > 0 || len(t.queue) > 0)
}

// End ends the Tail for what is published from now on: a loop over Records delivers what was published before, and ends
// with [ErrClosed] then. Close it, too, unless such a loop has ended so.
func (t *Tail) End() {
	t.log.mu.Lock()
	t.last = true
	t.log.remove(t)
	t.signal()
	t.log.mu.Unlock()
	t.log.watch()
}

// Close ends the Tail and frees its queue. A loop over Records ends with
// [ErrClosed], at the latest once it has delivered what it had taken from the queue. A
// second Close does nothing.
func (t *Tail) Close() {
	t.log.mu.Lock()
	again := t.ended
	t.ended = true
	t.queue = nil
	t.log.remove(t)
	t.signal()
	t.log.mu.Unlock()
	if !again {
		t.log.watch()
		t.log.leave()
	}
}

// use keeps the stream open while Records runs, even if the Tail is closed
// meanwhile. It reports false if the Tail has ended.
func (t *Tail) use() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.ended {
		return false
	}
	t.log.users++
	return true
}

// deliverStored yields what is only in storage. It reports false when the loop over
// Records is to end.
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

// readStored yields the stored records after cursor up to upTo. It is a function of its
// own because its loop costs an allocation, which deltas need not pay.
func (t *Tail) readStored(ctx context.Context, yield func(Record, error) bool) bool {
	for rec, err := range t.log.stream.Read(ctx, t.cursor+1) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = t.log.complete(ctx, &rec)
		}
		if err != nil {
			yield(Record{}, err)
			return false
		}
		t.cursor = rec.Pos
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

// deliverBatch yields what was taken from the queue. It reports false when the loop
// over Records is to end.
func (t *Tail) deliverBatch(ctx context.Context, yield func(Record, error) bool) bool {
	for len(t.batch) > 0 {
		if err := ctx.Err(); err != nil {
			yield(Record{}, err)
			return false
		}
		rec := t.batch[0]
		known := !rec.Ephemeral && rec.Pos <= t.cursor // one that follows has read it from storage
		if t.upTo = max(t.cursor, rec.before()); t.cursor < t.upTo && !t.readStored(ctx, yield) {
			return false
		}
		t.batch[0] = Record{} // so that the memory is free once the reader is done with it
		t.batch = t.batch[1:]
		switch {
		case known:
			continue
		case rec.Ephemeral:
			rec.Pos = t.cursor
			t.passed += rec.events()
		default:
			t.cursor, t.upTo = rec.Pos, rec.Pos
		}
		if !yield(rec, nil) {
			return false
		}
	}
	t.batch = nil
	return true
}

// wait returns once there is something to deliver, or the reason why there
// will be nothing more.
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
