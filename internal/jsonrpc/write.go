package jsonrpc

import "github.com/sidestick-dev/sidestick/internal/fault"

// kept is the capacity, in bytes, of a write buffer worth keeping while the line is
// idle. The two of a connection grow beyond it under load.
const kept = 64 << 10

// writeOnce writes what waits, and reports whether more has come meanwhile: then
// the caller is still the writer.
func (q *queue) writeOnce() (more bool, err error) {
	q.mu.Lock()
	batch := q.waiting
	q.waiting, q.spare = q.spare, nil
	q.mu.Unlock()
	select {
	case q.room <- struct{}{}:
	default:
	}
	if _, err = q.w.Write(batch); err != nil {
		err = &fault.Error{Op: "jsonrpc.write", Kind: fault.Unavailable, Err: err}
		q.fail(err)
		q.broken(err)
	}
	return q.written(batch), err
}

// written takes back a batch, and reports whether more has come meanwhile.
func (q *queue) written(batch []byte) (more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writing = len(q.waiting) > 0; q.writing {
		q.spare = reusable(batch, 2*q.max)
		return true
	}
	q.waiting, q.spare = reusable(q.waiting, kept), reusable(batch, kept)
	if q.idle != nil {
		close(q.idle)
	}
	return false
}

// reusable returns b emptied, or nil if it is too large to keep.
func reusable(b []byte, limit int) []byte {
	if cap(b) > limit {
		return nil
	}
	return b[:0]
}

func (q *queue) writeOn() {
	for more := true; more; {
		more, _ = q.writeOnce()
	}
}

// reason returns why the queue takes no more frames.
func (q *queue) reason() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// refuse takes no more frames; the first reason counts. The mutex is held.
func (q *queue) refuse(reason error) {
	if q.err == nil {
		q.err = reason
		close(q.dead)
	}
}

// fail takes no more frames and drops those that wait.
func (q *queue) fail(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refuse(reason)
	q.waiting = nil
}

// close takes no more frames and returns when nobody writes any more: all is
// written, or the queue has failed. It is called once.
func (q *queue) close(reason error) {
	q.mu.Lock()
	q.refuse(reason)
	idle := make(chan struct{})
	if q.writing {
		q.idle = idle
	} else {
		close(idle)
	}
	q.mu.Unlock()
	<-idle
}
