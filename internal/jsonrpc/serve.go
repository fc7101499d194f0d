package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/stack"
)

// heldFrames times the limit of a frame bounds the bytes of the messages being handled. One of the
// largest must fit; a thousand would exhaust the memory of a machine.
const heldFrames = 4

// requestCost is what a request takes of Options.Memory beside its body and its answer, in bytes: mostly
// the stack of its goroutine, of 8 KB, and what the handler keeps.
const requestCost = 12 << 10

// cancelMethod is the notification that ends the context of a request.
const cancelMethod = "$/cancelRequest"

// read handles frames until none can follow, and returns why. After the end of the
// connection its result does not matter.
func (c *Conn) read() error {
	defer c.bounds.Free()
	for n := 1; ; n++ {
		if n%inARow == 0 {
			runtime.Gosched()
		}
		stop := c.hurry()
		f, err := c.opts.Framing.Read(c.in, &c.bounds)
		stop()
		if !c.begin() {
			return err
		}
		switch {
		case err == nil:
			c.receive(f)
		case fault.KindOf(err) == fault.Invalid:
			c.refuse(nil, errorf(InvalidRequest, "%s", fault.Message(err)))
		}
		c.wg.Done()
		if err != nil {
			return err
		}
		c.bounds.Free()
	}
}

// hurry waits for the first byte of a frame. From then on, a peer that is not trusted has
// FrameWait until stop is called, and is cut off after that.
func (c *Conn) hurry() (stop func()) {
	if c.bounds.trusted = c.trusted.Load(); c.bounds.trusted {
		return func() {}
	}
	if _, err := c.in.Peek(1); err != nil || c.opts.FrameWait <= 0 {
		return func() {} // Read reports the error
	}
	late := time.AfterFunc(c.opts.FrameWait, func() {
		defer c.survive()
		_ = c.abort(fault.New(fault.Unavailable, "jsonrpc.Run", "",
			"a frame was not complete after %v, and its sender has not identified itself", c.opts.FrameWait))
	})
	return func() { late.Stop() }
}

// receive handles one body, or the beginning of one that was too long.
func (c *Conn) receive(f Frame) {
	if f.cut() {
		c.skipped(scan(f.Body), f)
		return
	}
	m, problem := c.parse(f.Body)
	switch {
	case problem != nil:
		c.reject(m, problem)
	case m.method == nil:
		c.deliver(m)
	default:
		c.serve(m, f.Size)
	}
}

// parse is [parse] when it is the turn of a message of that length.
func (c *Conn) parse(body []byte) (message, *Error) {
	defer c.opts.Turns.Long(len(body))() // also after a panic
	return parse(body)
}

// serve handles a request or a notification, whose body has size bytes.
func (c *Conn) serve(m message, size int) {
	req, problem := m.request()
	switch {
	case problem != nil:
		c.reject(m, problem)
	case req.IsNotification() && req.Method == cancelMethod:
		c.cancelRequest(req)
	default:
		if req.size = size; size > headSize {
			req.id = bytes.Clone(req.id) // it outlives the body
		}
		c.accept(req)
	}
}

// cancelRequest ends the context of the request that a cancellation names, if it is
// still being handled.
func (c *Conn) cancelRequest(req *Request) {
	id := scan(req.Params).id
	c.mu.Lock()
	cancel := c.serving[string(id)]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// accept passes req to the handler if there is room for it, and starts its work.
func (c *Conn) accept(req *Request) {
	ctx, cancel := c.ctx, func() {}
	if !req.IsNotification() {
		ctx, cancel = context.WithCancel(c.ctx)
	}
	if problem := c.admit(req, cancel); problem != nil {
		cancel()
		c.turnDown(req, problem)
		return
	}
	work, problem := c.ask(ctx, req)
	if work == nil && req.IsNotification() {
		cancel()
		c.release(req)
		return
	}
	finish := func(turn *turn) {
		stack.Reserve()
		defer cancel()
		defer c.survive()
		c.finish(ctx, req, work, problem, turn)
	}
	if c.opts.Turns == nil || !req.Computes {
		c.wg.Go(func() { finish(nil) })
		return
	}
	c.wg.Add(1)
	few := c.opts.Turns.start(&c.line, func(turn *turn) {
		go func() {
			defer c.wg.Done()
			if c.opts.Turns.crowded() {
				// Go runs a new goroutine before those that wait already. This one yields once, so that many new
				// ones do not overtake the goroutines that read.
				runtime.Gosched()
			}
			finish(turn)
		}()
	})
	if few != nil {
		<-few
	}
}

// admit counts req as being handled until release, or says why it cannot be.
func (c *Conn) admit(req *Request, cancel context.CancelFunc) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.working >= c.opts.MaxInFlight {
		return errorf(Overloaded, "%d requests are in flight already", c.working)
	}
	if c.held+req.size > heldFrames*c.limit() {
		return errorf(Overloaded, "requests of %d bytes are in flight already", c.held)
	}
	if c.serving[string(req.id)] != nil {
		return errorf(InvalidRequest, "id %s is in flight already", req.id)
	}
	if !c.opts.Memory.Take(requestCost) {
		return c.noRoom("another request beside the %d in flight", c.working)
	}
	c.working++
	c.held += req.size
	req.taken, c.bounds.taken = c.bounds.taken+requestCost, 0
	if !req.IsNotification() {
		c.serving[string(req.id)] = cancel
	}
	return nil
}

func (c *Conn) release(req *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.working--
	c.held -= req.size
	delete(c.serving, string(req.id))
	c.give(req)
}

// free gives back what the body of req takes, unless release has.
func (c *Conn) free(req *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.give(req)
}

func (c *Conn) give(req *Request) {
	c.opts.Memory.Give(req.taken)
	req.taken = 0
}

// answered gives back what the body of a request takes, and counts the answer instead. It returns a refusal if
// there is no room for the answer.
func (c *Conn) answered(req *Request, answer int) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if body := req.taken - requestCost; body > 0 {
		c.opts.Memory.Give(body)
		req.taken = requestCost
	}
	c.held -= req.size
	req.size, req.Params = 0, nil
	if answer <= headSize {
		return nil
	}
	if !c.opts.Memory.Take(answer) {
		return c.noRoom("an answer of %d bytes", answer)
	}
	req.taken += answer
	return nil
}

// ask calls the handler. A panic of the handler is returned as a problem.
func (c *Conn) ask(ctx context.Context, req *Request) (work func() (any, error), problem *Error) {
	defer func() {
		if p := recover(); p != nil {
			problem = c.panicked(req, p)
		}
	}()
	return c.handle(ctx, req), nil
}

// finish does the work, unless there is a problem already, and answers the request. The turn of the work ends before
// that, because a peer may not read its answers.
func (c *Conn) finish(ctx context.Context, req *Request, work func() (any, error), problem *Error, turn *turn) {
	defer c.free(req) // if the answer cannot be sent
	result, sent := []byte("null"), func() {}
	if work != nil {
		result, sent, problem = c.do(ctx, req, work)
	}
	turn.end()
	defer sent()
	if refused := c.answered(req, len(result)); refused != nil {
		result, problem = nil, refused
	}
	if !req.IsNotification() {
		c.respond(req.id, func() { c.release(req) }, result, problem)
		return
	}
	c.release(req)
	if problem != nil {
		c.opts.Logger.Warn("notification failed", "method", req.Method, "err", problem)
	}
}

// do does the work. It returns the answer and what to call once that is sent.
func (c *Conn) do(ctx context.Context, req *Request, work func() (any, error)) (result []byte, sent func(), problem *Error) {
	sent = func() {}
	defer func() {
		if p := recover(); p != nil {
			problem = c.panicked(req, p)
		}
	}()
	value, err := work()
	if a, ok := value.(Answer); ok {
		value, sent = a.Result, a.Sent
	}
	if err != nil {
		return nil, sent, c.errorOf(ctx, err)
	}
	leave := c.opts.Turns.Long(req.size)
	defer leave() // also after a panic
	if result, err = encode(value, "null"); err != nil {
		c.opts.Logger.Error("result cannot be encoded", "method", req.Method, "err", err)
		return nil, sent, errorf(InternalError, "the result of %s cannot be encoded: %v", req.Method, err)
	}
	return result, sent, nil
}

// panicked logs a panic of the handler and returns the error for the peer.
func (c *Conn) panicked(req *Request, p any) *Error {
	c.opts.Logger.Error("handler panicked", "method", req.Method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	return errorf(InternalError, "internal error in %s", req.Method)
}

// errorOf returns the peer's form of an error of the handler.
func (c *Conn) errorOf(ctx context.Context, err error) *Error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return errorf(RequestCancelled, "request cancelled")
	}
	if e := c.opts.ErrorOf(err); e != nil {
		return e
	}
	return errorOf(err)
}
