package jsonrpc

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/stack"
)

const (
	// lastWords is how long a connection, after its peer has stopped sending, waits for
	// handlers to return and for the peer to read their answers.
	lastWords = 5 * time.Second

	// leaveBehind is how long Run waits for a read that closing did not end.
	leaveBehind = 100 * time.Millisecond
)

// errClosed is the reason of an end by [Conn.Close].
var errClosed = errors.New("connection closed")

// Conn is one connection. All methods are safe for concurrent use.
type Conn struct {
	rwc    io.ReadWriteCloser
	in     *bufio.Reader // this and bounds are used by the reading goroutine only
	bounds Bounds
	out    *queue
	handle Handler
	opts   Options

	ctx    context.Context // parent of every handler's context; end cancels it, with the reason
	cancel context.CancelCauseFunc
	shut   func() error // closes rwc, once

	trusted atomic.Bool // the peer may send frames of MaxFrame
	line    line        // of Options.Turns

	wg sync.WaitGroup // frames being handled, and work; grows only before the end

	mu         sync.Mutex // guards the rest; may be locked while the queue's is held, never the other way round
	ended      bool
	failed     error // why nothing can be written any more
	lastID     int64
	pending    map[int64]chan<- answer       // our calls
	serving    map[string]context.CancelFunc // the peer's requests, by the bytes of their id
	working    int                           // messages being handled, at most MaxInFlight
	held       int                           // bytes of their bodies, at most heldFrames times the limit
	asides     []aside                       // frames on their way into the queue, at most maxAside
	asideBytes int                           // what they take of Options.Memory, in bytes
}

// NewConn returns a connection over rwc and takes ownership of rwc. Calls may be made
// at once; they are answered, and the peer is served, while [Conn.Run] runs.
func NewConn(rwc io.ReadWriteCloser, h Handler, opts Options) *Conn {
	opts = opts.withDefaults()
	c := &Conn{
		rwc:     rwc,
		handle:  h,
		opts:    opts,
		shut:    sync.OnceValue(rwc.Close),
		pending: make(map[int64]chan<- answer),
		serving: make(map[string]context.CancelFunc),
	}
	c.in = bufio.NewReaderSize(rwc, 16<<10)
	c.bounds = Bounds{Limit: c.limit, Memory: opts.Memory}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.out = newQueue(rwc, opts, c.unwritable)
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
// it has five seconds to read the remaining answers; otherwise they are lost.
// Run waits for work that ignores its context.
//
// Closing os.Stdin or os.Stdout does not end a Read or Write that blocks in them. Run
// then returns after 100 ms without the reading goroutine, which ends with its Read and
// calls no handler any more. For a Write that blocks, Run waits until the peer reads or
// hangs up.
func (c *Conn) Run(ctx context.Context) error {
	c.opts.Turns.enter()
	defer c.opts.Turns.leave()
	reading := make(chan struct{})
	go func() {
		stack.Reserve()
		defer close(reading)
		defer c.survive()
		why := c.read()
		c.end(cmp.Or(c.writeError(), why))
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

// settle waits until everything that was started has ended, at most until lastWords
// have passed or ctx ends, and then closes rwc.
func (c *Conn) settle(ctx context.Context) {
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		c.wg.Wait()
		c.out.close(c.endedError("jsonrpc.write", ""))
	}()
	select {
	case <-settled:
	case <-ctx.Done():
	case <-time.After(lastWords):
	}
	_ = c.abort(errClosed)
	<-settled
}

// survive is deferred by every goroutine of the connection. A panic there ends the
// connection and not the program; answers that were not sent yet may be lost.
func (c *Conn) survive() {
	if p := recover(); p != nil {
		err := fault.Panicked("jsonrpc.Run", p)
		c.opts.Logger.Error("a connection panicked", "err", err)
		_ = c.abort(err)
	}
}

// Close ends the connection. It ends a blocked Read or Write, as far as closing rwc
// can, and drops frames that wait to be written. It does not wait; [Conn.Run] returns
// when everything has ended. Close may be called again, and from a handler.
func (c *Conn) Close() error { return c.abort(errClosed) }

// Idle reports whether no message of the peer is being handled.
func (c *Conn) Idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.working == 0
}

// Farewell writes one error with the id null to a peer for which there is no [Conn].
func Farewell(w io.Writer, f Framing, why *Error) error {
	value, err := encode(why, "")
	if err != nil {
		return err
	}
	body := append(append(appendResponse(nil, nil, "error"), value...), '}')
	frame := f.AppendHead(nil, len(body))
	start := len(frame)
	_, err = w.Write(f.AppendTail(append(frame, body...), start))
	return err
}

// Done is closed when the connection has begun to end, for whatever reason.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// Trust lets the peer send frames of MaxFrame from now on, which may take any time; see
// [Options].FirstFrame and FrameWait.
func (c *Conn) Trust() { c.trusted.Store(true) }

// limit bounds the body of the next frame, in bytes.
func (c *Conn) limit() int {
	if c.trusted.Load() {
		return c.opts.MaxFrame
	}
	return c.opts.FirstFrame
}

// end begins to end the connection for a reason; the first reason counts. No further
// work starts.
func (c *Conn) end(reason error) {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.cancel(reason)
}

// abort ends the connection without waiting for the last answers.
func (c *Conn) abort(reason error) error {
	c.end(reason)
	c.out.fail(c.endedError("jsonrpc.write", ""))
	return c.shut()
}

// unwritable ends the connection because nothing can be written any more. Messages that the
// peer has sent before are read first, for at most lastWords: it may have closed the connection after its last
// message.
func (c *Conn) unwritable(reason error) {
	c.out.fail(&fault.Error{Op: "jsonrpc.write", Kind: fault.Unavailable, Err: reason})
	c.mu.Lock()
	c.failed = cmp.Or(c.failed, reason)
	c.mu.Unlock()
	late := time.AfterFunc(lastWords, func() {
		defer c.survive()
		_ = c.abort(reason)
	})
	context.AfterFunc(c.ctx, func() { late.Stop() })
}

// writeError is why nothing can be written any more, nil if it can.
func (c *Conn) writeError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// endedError returns the error of an operation on a connection that has ended.
func (c *Conn) endedError(op, on string) error {
	return &fault.Error{Op: op, On: on, Kind: fault.Unavailable, Err: context.Cause(c.ctx)}
}

// begin reports whether work may still start; the caller must then call c.wg.Done.
func (c *Conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.wg.Add(1)
	}
	return !c.ended
}
