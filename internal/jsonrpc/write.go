package jsonrpc

import (
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// kept is the capacity, in bytes, up to which a connection keeps a write buffer while nothing is
// written. It has two, which grow beyond it under load.
const kept = 64 << 10

// grown are the buffers above that capacity which no connection uses. The garbage collector frees
// those that are not needed again soon.
var grown sync.Pool

// writeOnce writes the frames that wait, and reports whether more have arrived
// meanwhile, which the caller must write, too.
func (q *queue) writeOnce() (more bool, err error) {
	q.mu.Lock()
	batch, counted := q.waiting, q.counted
	q.waiting, q.spare, q.counted = q.spare, nil, 0
	q.mu.Unlock()
	defer q.memory.Give(counted)
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

// written keeps the buffer of a batch for reuse, and reports whether more frames have
// arrived meanwhile.
func (q *queue) written(batch []byte) (more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writing = len(q.waiting) > 0; q.writing {
		q.spare = reusable(batch, 2*q.max)
		return true
	}
	q.waiting, q.spare = q.keep(q.waiting), q.keep(batch)
	if q.idle != nil {
		close(q.idle)
	}
	return false
}

// keep returns b emptied if the connection keeps it while it is idle, otherwise nil.
func (q *queue) keep(b []byte) []byte {
	if cap(b) > kept && cap(b) <= 2*q.max {
		b = b[:0]
		grown.Put(&b)
		return nil
	}
	return reusable(b, kept)
}

// buffer returns the buffer of the frames that wait.
func (q *queue) buffer() []byte {
	if q.waiting == nil {
		if b, ok := grown.Get().(*[]byte); ok {
			return *b
		}
	}
	return q.waiting
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

// reason returns why the queue accepts no more frames.
func (q *queue) reason() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// refuse makes the queue accept no more frames; the first reason counts. The caller
// holds the mutex.
func (q *queue) refuse(reason error) {
	if q.err == nil {
		q.err = reason
		close(q.dead)
	}
}

// fail makes the queue accept no more frames and drops those that wait.
func (q *queue) fail(reason error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refuse(reason)
	q.memory.Give(q.counted)
	q.waiting, q.counted = nil, 0
}

// close makes the queue accept no more frames and returns when nothing is being written
// any more: everything is written, or the queue has failed. It is called once.
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
