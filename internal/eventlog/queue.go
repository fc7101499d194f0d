package eventlog

import "github.com/sidestick-dev/sidestick/internal/wire"

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
		t.batch, t.queue, t.queued = t.queue, nil, 0
		t.upTo = max(t.cursor, t.storedTo)
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

// push queues rec, in place of all that is queued if that is too much. The
// caller holds log.mu.
func (t *Tail) push(rec Record) {
	size := rec.size()
	if len(t.queue) >= t.log.lag || len(t.queue) > 0 && t.queued+size > maxQueued {
		t.overflow(&rec)
	}
	t.queue = append(t.queue, rec)
	t.queued += size
	if len(t.queue) == 1 {
		t.signal()
	}
}

// overflow empties the queue before next. A persisted record that goes is in
// storage, where the reader will look for it first.
func (t *Tail) overflow(next *Record) {
	for i := range t.queue {
		if t.queue[i].Ephemeral {
			t.dropped++
		}
	}
	t.queue, t.queued = nil, 0
	t.storedTo = next.Seq
	if !next.Ephemeral {
		t.storedTo--
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
