package jsonrpc

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

// queue sends the frames of a connection in order. It needs no goroutine: a caller that
// finds nothing being written writes its own frame and returns. Frames that arrive during
// a write are collected and then written together, in as few writes as possible.
//
// The mutex is never held during a write. A caller that writes cannot stop before the
// transport returns, even if its context ends.
type queue struct {
	w      io.Writer
	frames Framing
	max    int         // bytes in waiting
	broken func(error) // called once, with the error of the first failed write
	memory *quota.Share

	turn chan struct{} // holds one: the right to append next; channels are fair
	room chan struct{} // holds one: waiting may have shrunk
	dead chan struct{} // closed when err is set

	mu      sync.Mutex
	waiting []byte        // whole frames, in order
	counted int           // bytes of memory that they take
	spare   []byte        // the buffer written last, to be filled next
	writing bool          // a goroutine is writing, and will look at waiting again
	idle    chan struct{} // closed when writing ends; nil unless close waits
	err     error         // why no more frames are accepted
}

func newQueue(w io.Writer, opts Options, broken func(error)) *queue {
	return &queue{
		w: w, frames: opts.Framing, max: opts.MaxQueue, broken: broken, memory: opts.Memory,
		turn: make(chan struct{}, 1),
		room: make(chan struct{}, 1),
		dead: make(chan struct{}),
	}
}

// send queues one frame whose body is head, parts and a brace, and writes it if
// nothing else is being written. It keeps neither head nor parts.
//
// queued, if not nil, is called when the frame is in the queue, under the mutex and
// before the peer can see it; not if send fails before that.
//
// While the queue is full, send waits until there is room, ctx ends, or the queue
// fails. A nil error means that the frame is queued, not that it arrived.
func (q *queue) send(ctx context.Context, queued func(), head []byte, parts ...[]byte) error {
	if err := q.takeTurn(ctx); err != nil {
		return err
	}
	first, err := q.append(ctx, queued, head, parts)
	<-q.turn
	if err != nil || !first {
		return err
	}
	more, err := q.writeOnce()
	if more {
		go q.writeOn() // the frames of others; close waits for it. It runs nothing but the transport
	}
	return err
}

func (q *queue) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case q.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case q.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-q.dead:
		return q.reason()
	}
}

// append puts a frame at the end of waiting, and reports whether the caller must write
// it, because no other goroutine does. The caller has the turn.
func (q *queue) append(ctx context.Context, queued func(), head []byte, parts [][]byte) (first bool, err error) {
	size := len(head) + len("}")
	for _, part := range parts {
		size += len(part)
	}
	if err := q.lockWithRoom(ctx, size); err != nil {
		return false, err
	}
	defer q.mu.Unlock()
	b := q.buffer()
	if size > kept { // at once, and not as each part needs it
		b = slices.Grow(b, size+maxFrameHead)
	}
	b = q.frames.AppendHead(b, size)
	start := len(b)
	b = append(b, head...)
	for _, part := range parts {
		b = append(b, part...)
	}
	q.waiting = q.frames.AppendTail(append(b, '}'), start)
	if queued != nil {
		queued()
	}
	first, q.writing = !q.writing, true
	return first, nil
}

// lockWithRoom returns with the mutex held once waiting has room for size bytes,
// or is empty. After an error the mutex is not held.
func (q *queue) lockWithRoom(ctx context.Context, size int) error {
	for {
		q.mu.Lock()
		if q.err == nil && q.fits(size) {
			return nil
		}
		q.mu.Unlock()
		select {
		case <-q.room:
		case <-ctx.Done():
			return ctx.Err()
		case <-q.dead:
			return q.reason()
		}
	}
}

// uncounted is how much may wait to be written without being counted, in bytes.
const uncounted = 16 << 10

// fits reports whether waiting has room for size more bytes, and counts them if it has. An empty one has
// room for every frame: there is no other place for it. The caller holds the mutex.
func (q *queue) fits(size int) bool {
	after := len(q.waiting) + size
	more := after - uncounted - q.counted
	switch {
	case len(q.waiting) > 0 && (after > q.max || !q.memory.Take(more)):
		return false
	case len(q.waiting) == 0:
		q.memory.Force(more)
	}
	q.counted += max(more, 0)
	return true
}
