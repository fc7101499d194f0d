package model

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Body is the encoded request of a call: bytes of its own, and between these the definitions of tools, which
// it shares with other requests. Those are most of a request when a conversation begins, and the same ones in
// thousands of sessions.
//
// A body stays in memory until its call has ended, because it may be sent again, and no transport reads it any
// more. Then the memory of its own bytes is used for other calls: each turn sends the whole conversation, so
// that bodies would be a third of the memory that a turn allocates.
type Body struct {
	own    []byte
	shared []piece      // in the order of their places
	size   int          // of both, in bytes
	users  atomic.Int32 // the call, and each reader that is open
}

// piece is shared bytes, which stand before the byte at an offset of own.
type piece struct {
	at    int
	bytes []byte // at least minShared; never changed
}

// bodies are the bodies that nothing uses.
var bodies sync.Pool

const (
	// maxPooled bounds the memory of a body that is kept, in bytes.
	maxPooled = 1 << 20
	// minShared is the least length of what is shared, in bytes: less is cheaper to copy.
	minShared = 128
)

// newBody returns a body that is empty, with room for a request. Its call is the first user.
func newBody(r *Request) *Body {
	n := r.ownSize()
	b, ok := bodies.Get().(*Body)
	if !ok || cap(b.own) < n {
		b = &Body{own: make([]byte, 0, n)}
	}
	b.users.Store(1)
	return b
}

// Own returns the empty slice to which a dialect appends the encoding of a request, and which it returns from
// [Protocol.Encode].
func (b *Body) Own() []byte { return b.own[:0] }

// AppendTools appends the forms of tools in requests of a dialect, with commas between them. own is what was
// appended so far, from which the dialect takes nothing back afterwards: what is shared has its place by then.
// encode appends one form to what it is given. The tool that it gets has the name and the Parameters that
// providers accept; Parameters are never empty. An error is that of a tool that cannot be sent.
func (b *Body) AppendTools(own []byte, tools []Tool, dialect string, encode func([]byte, *Tool) []byte) ([]byte, error) {
	for i := range tools {
		if i > 0 {
			own = append(own, ',')
		}
		form, err := tools[i].form(dialect, encode)
		switch {
		case err != nil:
			return own, err
		case len(form) < minShared:
			own = append(own, form...)
		default:
			b.shared = append(b.shared, piece{len(own), form})
		}
	}
	return own, nil
}

// finish ends the encoding. own is all that was appended.
func (b *Body) finish(own []byte) {
	b.own, b.size = own, len(own)
	for i := range b.shared {
		b.size += len(b.shared[i].bytes)
	}
}

// WriteTo implements [io.WriterTo]. A body that is nil is empty.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	if b == nil {
		return 0, nil
	}
	return b.writeFrom(w, place{}, b.size)
}

// place is a position in a body.
type place struct {
	own    int // offset in own
	piece  int // index of the first piece that is not behind the position
	within int // offset in that piece
}

// next returns the bytes at a place that lie together, at most n, and moves the place behind them. It returns
// none at the end.
func (b *Body) next(at *place, n int) []byte {
	end := len(b.own)
	if at.piece < len(b.shared) {
		p := &b.shared[at.piece]
		if end = p.at; at.own == end {
			run := p.bytes[at.within:]
			run = run[:min(len(run), n)]
			if at.within += len(run); at.within == len(p.bytes) {
				at.piece, at.within = at.piece+1, 0
			}
			return run
		}
	}
	run := b.own[at.own:end]
	run = run[:min(len(run), n)]
	at.own += len(run)
	return run
}

// writers join pieces to writes of 32 KB: each write is a call of the kernel, and a record of TLS.
var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

// writeFrom writes n bytes from a place on.
func (b *Body) writeFrom(w io.Writer, at place, n int) (written int64, err error) {
	if len(b.shared) == 0 {
		some, err := w.Write(b.next(&at, n))
		return int64(some), err
	}
	joined := writers.Get().(*bufio.Writer)
	joined.Reset(w)
	defer func() {
		joined.Reset(nil)
		writers.Put(joined)
	}()
	for left := n; left > 0 && err == nil; {
		some, failed := joined.Write(b.next(&at, left))
		left, err = left-some, failed
		written += int64(some)
	}
	if err == nil {
		err = joined.Flush()
	}
	return written - int64(joined.Buffered()), err
}

// release is called by each user when it needs the body no longer.
func (b *Body) release() {
	if b.users.Add(-1) == 0 && cap(b.own) <= maxPooled {
		clear(b.shared)
		b.own, b.shared = b.own[:0], b.shared[:0]
		bodies.Put(b)
	}
}

// open returns a reader of the body, which a transport closes.
func (b *Body) open() *bodyReader {
	b.users.Add(1)
	return &bodyReader{body: b, left: b.size}
}

// bodyReader reads a body. A transport may close it on another goroutine than the one that reads,
// and may read it after that.
type bodyReader struct {
	mu   sync.Mutex
	body *Body // nil: closed
	at   place
	left int // bytes that were not read
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.body == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	for n < len(p) {
		some := copy(p[n:], r.body.next(&r.at, len(p)-n))
		if some == 0 {
			break
		}
		n += some
	}
	if r.left -= n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error {
	r.mu.Lock()
	b := r.body
	r.body = nil
	r.mu.Unlock()
	if b != nil {
		b.release()
	}
	return nil
}

// writeTo writes at most n bytes of what has not been read. It keeps the body in use for that long,
// but the reader can be closed meanwhile.
func (r *bodyReader) writeTo(w io.Writer, n int64) (int64, error) {
	r.mu.Lock()
	b := r.body
	if b == nil {
		r.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	}
	b.users.Add(1)
	defer b.release()
	from, count := r.at, int(min(int64(r.left), n))
	for left := count; left > 0; {
		left -= len(b.next(&r.at, left))
	}
	r.left -= count
	r.mu.Unlock()
	return b.writeFrom(w, from, count)
}

// bodyConn is a connection that writes a body without copying it first.
type bodyConn struct{ net.Conn }

// withBodies is d with connections of that kind.
func withBodies(d dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return bodyConn{conn}, nil
	}
}

// ReadFrom implements [io.ReaderFrom], by which package net/http sends the body of a request.
func (c bodyConn) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		if body, ok := limited.R.(*bodyReader); ok {
			n, err := body.writeTo(c.Conn, limited.N)
			limited.N -= n
			return n, err
		}
	}
	if from, ok := c.Conn.(io.ReaderFrom); ok {
		return from.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}
