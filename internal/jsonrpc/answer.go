package jsonrpc

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// maxAside bounds the writes that wait beside those of handlers and callers, see
	// [Conn.aside]. A peer that has read none of so many refusals will not start to read.
	maxAside = 1024
	// asideCost is what one of them takes of Options.Memory beside its bytes, in bytes.
	asideCost = 128
	// freeAsides is for how many bytes of them there is always room: a peer whose share is full hears that it is.
	freeAsides = 64 << 10
)

// aside is a frame that waits for its turn without a goroutine of its own.
type aside struct{ head, value []byte }

func (a aside) size() int { return len(a.head) + len(a.value) + asideCost }

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
func (c *Conn) skipped(m message, f Frame) {
	if f.Full {
		c.reject(m, c.noRoom("a message of %d bytes", f.Size))
		return
	}
	what := "request"
	if m.isResponse() {
		what = "body"
	}
	c.reject(m, errorf(InvalidRequest, "%s of %d bytes exceeds the limit of %d bytes", what, f.Size, c.limit()))
}

// noRoom is the refusal of something for which the peer's share of the memory has no room.
func (c *Conn) noRoom(format string, args ...any) *Error {
	pool := c.opts.Memory.Pool()
	return errorf(Overloaded, "there is no room for %s: this connection holds %d bytes, and all together %d of %d; "+
		"read the answers that wait, and try again", fmt.Sprintf(format, args...), c.opts.Memory.Held(), pool.Used(), pool.Max())
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
	// The head has a copy of the id, which would otherwise keep the whole frame.
	if !c.aside(aside{appendResponse(make([]byte, 0, 64+len(id)), id, "error"), c.encodeError(problem)}) {
		_ = c.abort(fault.New(fault.Unavailable, "jsonrpc.Run", "", "peer reads no answers: its refusals wait, and there is no room for more (at most %d)", maxAside))
	}
}

// aside has a small frame written without waiting for that. One goroutine writes all of them, in order,
// as long as there are any. aside reports whether there was room for one more; after the connection has ended
// there is room, but nothing is sent.
func (c *Conn) aside(a aside) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return true
	}
	size := a.size()
	switch {
	case len(c.asides) >= maxAside:
		return false
	case c.asideBytes+size <= freeAsides:
		c.opts.Memory.Force(size)
	case !c.opts.Memory.Take(size):
		return false
	}
	c.asideBytes += size
	c.asides = append(c.asides, a)
	if len(c.asides) == 1 {
		c.wg.Go(c.writeAsides)
	}
	return true
}

// writeAsides writes the frames that wait aside until there are none.
func (c *Conn) writeAsides() {
	defer c.survive()
	for a, more := c.firstAside(), true; more; a, more = c.nextAside() {
		if err := c.out.send(context.Background(), nil, a.head, a.value); err != nil {
			c.opts.Logger.Debug("a refusal is lost", "err", err)
		}
	}
}

func (c *Conn) firstAside() aside {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asides[0]
}

// nextAside forgets the first frame that waits aside, which was written or is lost, and returns the next one.
func (c *Conn) nextAside() (next aside, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := c.asides[0].size()
	c.opts.Memory.Give(size)
	c.asideBytes -= size
	c.asides[0] = aside{}
	if c.asides = c.asides[1:]; len(c.asides) == 0 {
		c.asides = nil
		return next, false
	}
	return c.asides[0], true
}
