package eventlog

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxQueued bounds the text and JSON in one queue, in bytes, but for a single
// record, which may be as large as it is. A bound in records alone would let a
// thousand large tool outputs wait for a reader that never comes back.
const maxQueued = 4 << 20

// take moves the whole queue to the reader and reports whether there was any.
// [ErrClosed] if there is nothing and never will be.
func (t *Tail) take() (some bool, err error) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	switch {
	case t.gone:
		return false, ErrClosed
	case len(t.queue) > 0:
		t.batch, t.queue, t.queued, t.kept, t.keptBytes = t.queue, nil, 0, 0, 0
		t.missed = t.dropped
		return true, nil
	case t.log.closed:
		t.gone = true
		t.log.leave(t)
		t.log.users-- // not the last: Records has a hold
		return false, ErrClosed
	}
	return false, nil
}

// maxKept bounds the records in a queue that an overflow leaves there. A run has
// a handful of them.
const maxKept = 1024

// push queues rec, in place of all that is queued if that is too much. The
// caller holds log.mu.
func (t *Tail) push(rec Record) {
	size := rec.size()
	plain := len(t.queue) - t.kept
	if plain >= t.log.lag || plain > 0 && t.queued-t.keptBytes+size > maxQueued {
		t.overflow()
	}
	if rec.Kept {
		t.makeRoom(size)
		t.kept++
		t.keptBytes += size
	}
	t.queue = append(t.queue, rec)
	t.queued += size
	if len(t.queue) == 1 {
		t.signal()
	}
}

// overflow empties the queue of all but what is kept. A persisted record that
// goes is in storage, where the reader will look for it when it comes to a record
// behind it; there will be one, because overflow makes room for one.
func (t *Tail) overflow() {
	left := make([]Record, 0, t.kept+1)
	for _, rec := range t.queue {
		switch {
		case rec.Kept:
			left = append(left, rec)
		case rec.Ephemeral:
			t.dropped += rec.events()
		}
	}
	t.queue, t.queued = left, t.keptBytes
}

// makeRoom drops the oldest kept record while there are too many to add one of
// size bytes.
func (t *Tail) makeRoom(size int) {
	for t.kept > 0 && (t.kept >= maxKept || t.keptBytes+size > maxQueued) {
		i := slices.IndexFunc(t.queue, func(rec Record) bool { return rec.Kept })
		gone := t.queue[i].size()
		t.queue = slices.Delete(t.queue, i, i+1)
		t.queued -= gone
		t.kept--
		t.keptBytes -= gone
		t.dropped++
	}
}

// join adds d to the last queued record, if that is a delta of the same thing.
// The caller holds log.mu.
func (t *Tail) join(d *wire.Delta) bool {
	if len(t.queue) == 0 {
		return false
	}
	last := t.queue[len(t.queue)-1].Delta
	if last == nil || !last.Join(d) {
		return false
	}
	t.queued += len(d.Text)
	return true
}

// signal wakes the reader, now or when it next waits. It never blocks.
func (t *Tail) signal() {
	select {
	case t.wake <- struct{}{}:
	default: // it is being woken already
	}
}
