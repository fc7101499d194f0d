package model

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// body is the encoded request of a call. Its memory is used again for other calls once this one
// has ended and no transport reads it any more: each turn sends the whole conversation, so that
// bodies would be a third of the memory that a turn allocates.
type body struct {
	bytes []byte
	users atomic.Int32 // the call, and each reader that is open
}

// bodies are the bodies that nothing uses.
var bodies sync.Pool

// maxPooled bounds the memory of a body that is kept, in bytes.
const maxPooled = 1 << 20

// NewBody returns an empty slice to which a dialect appends the encoding of a request, and which it
// returns from [Protocol.Encode].
func (r *Request) NewBody() []byte {
	n := r.EncodedSize()
	if b, ok := bodies.Get().(*body); ok && cap(b.bytes) >= n {
		return b.bytes[:0]
	}
	return make([]byte, 0, n)
}

// newBody takes over what a dialect has encoded. The call is its first user.
func newBody(encoded []byte) *body {
	b := &body{bytes: encoded}
	b.users.Store(1)
	return b
}

// encoded is the encoding, nil for the request of a list of models.
func (b *body) encoded() []byte {
	if b == nil {
		return nil
	}
	return b.bytes
}

// release is called by each user when it needs the body no longer.
func (b *body) release() {
	if b.users.Add(-1) == 0 && cap(b.bytes) <= maxPooled {
		bodies.Put(b)
	}
}

// open returns a reader of the body, which a transport closes.
func (b *body) open() *bodyReader {
	b.users.Add(1)
	return &bodyReader{body: b}
}

// bodyReader reads a body. A transport may close it on another goroutine than the one that reads,
// and may read it after that.
type bodyReader struct {
	mu   sync.Mutex
	body *body // nil: closed
	at   int
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.body == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	if r.at == len(r.body.bytes) {
		return 0, io.EOF
	}
	n := copy(p, r.body.bytes[r.at:])
	r.at += n
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
	rest := b.bytes[r.at:]
	rest = rest[:min(int64(len(rest)), n)]
	r.at += len(rest)
	r.mu.Unlock()
	defer b.release()
	written, err := w.Write(rest)
	return int64(written), err
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
