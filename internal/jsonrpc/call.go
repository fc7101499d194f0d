package jsonrpc

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// answer is the outcome of a call.
type answer struct {
	result json.RawMessage
	err    error
}

// Call sends a request and waits for its answer. Nil params are sent as {}, others
// must encode to an object; a [json.RawMessage] is sent unchanged.
//
// The result is "null" if the peer sent none. If the peer refused, the error is an
// [*Error]. Otherwise it is a [*fault.Error]: of kind Invalid for params that
// cannot be encoded, Unavailable if the connection ended or the answer was unusable,
// and for ctx what [fault.KindOf] says. When ctx ends the peer is told with
// $/cancelRequest, and a late answer is ignored.
//
// If nothing is being written, the caller writes its frame itself. While a peer that
// does not read blocks that write, ctx cannot end it; [Conn.Close] can.
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	value, err := encode(params, "{}")
	if err != nil {
		return nil, fault.New(fault.Invalid, "jsonrpc.Call", method, "params: %w", err)
	}
	id, answered := c.expect()
	defer c.forget(id)
	if err := c.out.send(ctx, nil, appendRequest(make([]byte, 0, 128), id, method), value); err != nil {
		return nil, fault.New(fault.KindOf(err), "jsonrpc.Call", method, "%w", err)
	}
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		c.cancelCall(id)
		return nil, fault.New(fault.KindOf(ctx.Err()), "jsonrpc.Call", method, "%w", ctx.Err())
	case <-c.ctx.Done():
	}
	select {
	case a := <-answered: // the answer was the peer's last message
		return a.result, a.err
	default:
		return nil, c.endedError("jsonrpc.Call", method)
	}
}

// Notify sends a notification. Params and errors are those of [Conn.Call]. A nil
// error means that it is queued, not that it arrived. Notify waits while the queue is
// full. A peer that does not read can block it like [Conn.Call].
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	value, err := encode(params, "{}")
	if err != nil {
		return fault.New(fault.Invalid, "jsonrpc.Notify", method, "params: %w", err)
	}
	return c.NotifyRaw(ctx, method, value)
}

// NotifyRaw is [Conn.Notify] for params that are JSON already: the joined pieces must be
// an object in UTF-8, which is not checked; no pieces are {}. They are copied once, into
// the queue, and not kept. In the steady state nothing is allocated.
func (c *Conn) NotifyRaw(ctx context.Context, method string, params ...[]byte) error {
	if len(params) == 0 {
		return c.Notify(ctx, method, nil)
	}
	var head [128]byte
	if err := c.out.send(ctx, nil, appendNotification(head[:0], method), params...); err != nil {
		return fault.New(fault.KindOf(err), "jsonrpc.Notify", method, "%w", err)
	}
	return nil
}

// expect registers a new call until forget, and returns where its answer arrives.
func (c *Conn) expect() (id int64, answered <-chan answer) {
	ch := make(chan answer, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	c.pending[c.lastID] = ch
	return c.lastID, ch
}

func (c *Conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// cancelCall tells the peer that the call id was cancelled, if there is room for the
// message.
func (c *Conn) cancelCall(id int64) {
	params := append(strconv.AppendInt([]byte(`{"id":`), id, 10), '}')
	c.aside(aside{appendNotification(nil, cancelMethod), params})
}

// deliver passes a response to the call that it answers. A response without a result
// counts as null and one with a null error as a success, so that no call waits for
// ever.
func (c *Conn) deliver(m message) {
	a := answer{result: json.RawMessage("null")}
	switch {
	case len(m.failure) > 0 && !isNull(m.failure):
		a = answer{err: peerError(m.failure)}
	case len(m.result) > 0:
		a.result = json.RawMessage(m.result)
	}
	if !c.resolve(m, a) && !m.isResponse() {
		c.reject(m, errorf(InvalidRequest, "a message needs a method, a result or an error"))
	}
}

// resolve ends the call that m answers, and reports whether there is one.
func (c *Conn) resolve(m message, a answer) bool {
	id, err := strconv.ParseInt(string(m.id), 10, 64)
	c.mu.Lock()
	ch := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if err != nil || ch == nil {
		c.opts.Logger.Debug("answer to no call of ours", "id", string(m.id[:min(len(m.id), maxID)]), "err", a.err)
		return false
	}
	ch <- a // has room for the one answer
	return true
}

// peerError decodes the error of a response; if that fails, the error's text is its
// JSON.
func peerError(raw []byte) *Error {
	e := new(Error)
	if err := json.Unmarshal(raw, e); err != nil {
		return &Error{Code: InternalError, Message: string(raw)}
	}
	return e
}
