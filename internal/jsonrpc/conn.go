package jsonrpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// lastWords is how long a connection whose peer stopped sending waits for
	// handlers to return and for the peer to take their answers.
	lastWords = 5 * time.Second

	// leaveBehind is how long Run waits for a read that closing did not wake.
	leaveBehind = 100 * time.Millisecond
)

// errClosed is why a connection ended that [Conn.Close] ended.
var errClosed = errors.New("connection closed")

// Conn is one connection. All methods are safe for concurrent use.
type Conn struct {
	rwc    io.ReadWriteCloser
	in     *frameReader // used by the reading goroutine only
	out    *queue
	handle Handler
	opts   Options

	ctx    context.Context // parent of every handler's; ended by end, with the reason
	cancel context.CancelCauseFunc
	shut   func() error // closes rwc, once

	wg sync.WaitGroup // frames being handled, and work; grows only while !ended

	mu      sync.Mutex // guards the rest; taken within the queue's, never around it
	ended   bool
	lastID  int64
	pending map[int64]chan<- answer       // our calls
	serving map[string]context.CancelFunc // the peer's requests, by the bytes of their id
	working int                           // messages being handled, at most MaxInFlight
	held    int                           // bytes of their bodies, at most heldFrames times MaxFrame
	asides  int                           // writes on their way into the queue, at most maxAside
}

// NewConn returns a connection over rwc, which it owns from now on. Calls may be
// made at once; they are answered, and the peer served, while [Conn.Run] runs.
func NewConn(rwc io.ReadWriteCloser, h Handler, opts Options) *Conn {
	opts = opts.withDefaults()
	c := &Conn{
		rwc:     rwc,
		in:      newFrameReader(rwc, opts.MaxFrame),
		handle:  h,
		opts:    opts,
		shut:    sync.OnceValue(rwc.Close),
		pending: make(map[int64]chan<- answer),
		serving: make(map[string]context.CancelFunc),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.out = newQueue(rwc, opts.MaxQueue, func(err error) { _ = c.abort(err) })
	return c
}

// Run reads and serves until the connection ends. It is called once.
//
// It returns nil after the peer's last whole frame or [Conn.Close], the cause of
// ctx if that ended, [fault.Invalid] after a header that leaves the next frame's
// start unknown, and [fault.Unavailable] if the transport failed, with
// io.ErrUnexpectedEOF behind it if that was within a frame.
//
// Before it returns, contexts of handlers have ended, their work has returned,
// pending calls have failed and rwc is closed. If the peer only stopped sending,
// it has five seconds to take the remaining answers; otherwise what waits is lost.
// Work that ignores its context holds Run up.
//
// Closing os.Stdin or os.Stdout does not wake a Read or Write that is stuck in
// them. Run then leaves the reading goroutine behind, after 100 ms; it ends with
// its Read, and calls no handler any more. A Write stuck so holds Run up until the
// peer reads or goes away.
func (c *Conn) Run(ctx context.Context) error {
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		c.end(c.read())
	}()
	select {
	case <-ctx.Done():
		_ = c.abort(context.Cause(ctx))
	case <-c.ctx.Done():
	}
	c.settle(ctx)
	select {
	case <-reading:
	case <-time.After(leaveBehind):
	}
	if err := context.Cause(c.ctx); err != io.EOF && err != errClosed {
		return err
	}
	return nil
}

// settle waits until all that was started is over, and closes rwc: at the latest
// after lastWords or when ctx ends.
func (c *Conn) settle(ctx context.Context) {
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		c.wg.Wait()
		c.out.close(c.gone("jsonrpc.write", ""))
	}()
	select {
	case <-settled:
	case <-ctx.Done():
	case <-time.After(lastWords):
	}
	_ = c.abort(errClosed)
	<-settled
}

// Close ends the connection: a blocked Read or Write is woken, as far as closing
// rwc can, and frames that wait to be written are lost. It does not wait; [Conn.Run]
// returns when all is over. Close may be called again, and from a handler.
func (c *Conn) Close() error { return c.abort(errClosed) }

// Done is closed when the connection has begun to end, whoever ended it.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// end begins the end, for a reason; the first counts. No further work starts.
func (c *Conn) end(reason error) {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.cancel(reason)
}

// abort ends the connection without last words.
func (c *Conn) abort(reason error) error {
	c.end(reason)
	c.out.fail(c.gone("jsonrpc.write", ""))
	return c.shut()
}

// gone is the error of who needs a connection that has ended.
func (c *Conn) gone(op, on string) error {
	return &fault.Error{Op: op, On: on, Kind: fault.Unavailable, Err: context.Cause(c.ctx)}
}

// begin reports whether work may still start; if so, c.wg.Done must follow.
func (c *Conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.wg.Add(1)
	}
	return !c.ended
}
