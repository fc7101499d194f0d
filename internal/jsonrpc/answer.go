package jsonrpc

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxAside bounds the writes that wait beside those of handlers and callers, see
// [Conn.aside]. A peer that has read none of so many refusals will not start to read.
const maxAside = 1024

// respond answers the request id, nil for null, with a problem or else the result. It
// does so even if the request's context has ended. queued is as in [queue.send].
func (c *Conn) respond(id []byte, queued func(), result []byte, problem *Error) {
	member, value := "result", result
	if problem != nil {
		member, value = "error", c.encodeError(problem)
	}
	head := appendResponse(make([]byte, 0, 128), id, member)
	if err := c.out.send(context.Background(), queued, head, value); err != nil {
		c.opts.Logger.Debug("answer is lost", "id", string(id), "err", err)
	}
}

// encodeError encodes a problem, without its data if the data is not JSON. It bounds the
// message, which may repeat a name of any length from the request.
func (c *Conn) encodeError(problem *Error) []byte {
	problem = &Error{Code: problem.Code, Message: fault.Bounded(problem.Message), Data: problem.Data}
	value, err := encode(problem, "")
	if err != nil {
		c.opts.Logger.Error("error data cannot be encoded", "err", err)
		value, _ = encode(errorf(problem.Code, "%s", problem.Message), "")
	}
	return value
}

// reject handles a message that is not usable: it fails the call that the message
// answers, or refuses it under its id if it has one.
func (c *Conn) reject(m message, problem *Error) {
	if m.isResponse() {
		c.resolve(m, answer{err: fault.New(fault.Unavailable, "jsonrpc.Call", "", "unusable answer: %s", problem.Message)})
		return
	}
	if !validID(m.id) {
		m.id = nil
	}
	c.refuse(m.id, problem)
}

// skipped rejects a message that was too long, of which only the beginning was kept.
func (c *Conn) skipped(m message, size int) {
	if c.in.full {
		c.reject(m, errorf(Overloaded, "there is no room for %d bytes from a client that has not called connect: "+
			"such clients hold %d bytes; call connect, or try again", size, c.opts.Untrusted.Used()))
		return
	}
	what := "request"
	if m.isResponse() {
		what = "body"
	}
	c.reject(m, errorf(InvalidRequest, "%s of %d bytes exceeds the limit of %d bytes", what, size, c.limit()))
}

// turnDown answers a request that is not handled, or drops a notification.
func (c *Conn) turnDown(req *Request, problem *Error) {
	if req.IsNotification() {
		c.opts.Logger.Warn("notification dropped", "method", req.Method, "err", problem)
		return
	}
	c.refuse(req.id, problem)
}

// refuse answers the request id, nil for null, with a problem. It does not block
// reading.
func (c *Conn) refuse(id []byte, problem *Error) {
	c.opts.Logger.Debug("message refused", "id", string(id), "err", problem)
	if !c.aside(func() { c.respond(id, nil, nil, problem) }) {
		_ = c.abort(fault.New(fault.Unavailable, "jsonrpc.Run", "", "peer reads no answers: %d refusals wait", maxAside))
	}
}

// aside starts a small write on a goroutine of its own, so that its caller does not
// wait. It reports whether there was room for one more; after the connection has ended
// there is room, but nothing is sent.
func (c *Conn) aside(write func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return true
	}
	if c.asides == maxAside {
		return false
	}
	c.asides++
	c.wg.Go(func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asides--
		}()
		defer c.survive()
		write()
	})
	return true
}
