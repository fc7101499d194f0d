package eventlog

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxQueued bounds the text and JSON in one queue, in bytes. A single record may be
// larger. A bound in records alone would let a thousand large tool results wait for a
// reader that never comes back.
const maxQueued = 4 << 20

// take moves the whole queue to the reader, or tells it what to read from storage, and
// reports whether there was anything. [ErrClosed] if there is nothing and never will be.
func (t *Tail) take() (some bool, err error) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	switch {
	case t.ended:
		return false, ErrClosed
	case len(t.queue) > 0:
		t.batch, t.queue, t.queued, t.kept, t.keptBytes = t.queue, nil, 0, 0, 0
		t.missed = t.dropped
		return true, nil
	case t.stored > t.upTo:
		t.upTo = t.stored
		return true, nil
	case t.log.closed, t.last:
		t.ended = true
		t.log.remove(t)
		t.log.users-- // not the last use: Records has one, too
		return false, ErrClosed
	}
	return false, nil
}

// maxKept bounds how many records an overflow leaves in a queue. A run emits a handful
// of them.
const maxKept = 1024

// push queues rec. If the queue is full, push empties it first. The caller holds log.mu.
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

// overflow drops everything from the queue except kept records. The reader finds the
// persisted records in storage when it comes to a later record; there will be one,
// because overflow makes room for it.
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

// makeRoom drops the oldest kept records until one of size bytes can be added.
func (t *Tail) makeRoom(size int) {
	for t.kept > 0 && (t.kept >= maxKept || t.keptBytes+size > maxQueued) {
		i := slices.IndexFunc(t.queue, func(rec Record) bool { return rec.Kept })
		freed := t.queue[i].size()
		t.queue = slices.Delete(t.queue, i, i+1)
		t.queued -= freed
		t.kept--
		t.keptBytes -= freed
		t.dropped++
	}
}

// join adds d to the last queued record and reports true, if that is a delta of the same
// message. The caller holds log.mu.
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

// signal wakes the reader, now or when it waits next. It never blocks.
func (t *Tail) signal() {
	select {
	case t.wake <- struct{}{}:
	default: // a signal is already waiting
	}
}
