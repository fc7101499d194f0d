package server

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that has called llmInference.setProvider carries the model calls of the sessions
// that it creates and resumes: each HTTP request goes to it as llmInference.httpRequestStart and
// httpRequestChunk, and the answer comes back as httpResponseStart and httpResponseChunk.

// carriage has the model calls that one client makes for this program, one exchange for each
// HTTP request.
type carriage struct {
	c   *conn
	key string

	// ended are requests that the client is to cancel, or whose WebSocket it is to close. If the
	// channel is full, the client is not told, and its answer is ignored.
	ended chan wire.InferenceRequestChunk

	mu        sync.Mutex
	exchanges map[string]*carried // by request id
}

// maxCancelled is how many cancellations wait for a client that is slow to take them.
const maxCancelled = 256

// carried is one request that a client carries.
type carried struct {
	of    *carriage
	id    string
	start chan begun // holds one: how the answer begins
	once  sync.Once  // sending start
	began atomic.Bool
	// socket says that the request goes over a WebSocket: each piece is one message.
	socket bool
	body   *io.PipeReader
	fill   *io.PipeWriter
}

// begun is the beginning of an answer, or why there is none.
type begun struct {
	wire.InferenceResponseStart
	err error
}

// carrier carries the requests of one agent.
type carrier struct {
	*carriage
	sessionID, agentID string
}

// setInferenceProvider makes the client carry the model calls of its sessions.
func setInferenceProvider(_ context.Context, c *conn, _ none) (any, error) {
	carriage := &carriage{c: c, key: wire.NewID(), exchanges: map[string]*carried{}, ended: make(chan wire.InferenceRequestChunk, maxCancelled)}
	if c.carriage.CompareAndSwap(nil, carriage) {
		c.relays.Go(carriage.cancel)
	}
	return wire.Success{Success: true}, nil
}

// carrierOf returns [wire.Config.Carrier] for a session of this client.
func (c *conn) carrierOf() func(sessionID, agentID string) wire.Carrier {
	carriage := c.carriage.Load()
	if carriage == nil {
		return nil
	}
	return func(sessionID, agentID string) wire.Carrier { return carrier{carriage, sessionID, agentID} }
}

// Key implements [wire.Carrier].
func (c carrier) Key() string { return c.key }

// Shows implements [wire.Carrier].
func (c carrier) Shows(owner string) bool { return c.c.reader().May(model.Owner(owner)) }

// lists carries the lists of models that a client asks for outside of sessions.
type lists struct{ carrier }

// May implements [model.Transport].
func (l lists) May(o model.Owner) bool { return l.Shows(string(o)) }

// Withheld implements [model.Transport].
func (l lists) Withheld(address string) {
	l.c.srv.opts.Logger.Info("a list of models was not asked for by the client that carries model calls, which has not brought the credentials", "address", address)
}

// RoundTrip implements [http.RoundTripper]. The client is asked until the context of the request
// ends, which also cancels the request in the client.
func (c carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	x := c.open()
	x.socket = strings.HasPrefix(req.URL.Scheme, "ws")
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(ctx, func() { x.abandon(context.Cause(ctx)) })
	resp, err := x.exchange(ctx, c.describe(req, x.id), req)
	if err != nil {
		stop()
		cancel()
		x.abandon(err)
		return nil, err
	}
	resp.Body = carriedBody{x, func() { stop(); cancel() }}
	return resp, nil
}

// open makes an exchange.
func (c *carriage) open() *carried {
	x := &carried{of: c, id: wire.NewID(), start: make(chan begun, 1)}
	x.body, x.fill = io.Pipe()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges[x.id] = x
	return x
}

func (c carrier) describe(req *http.Request, id string) wire.InferenceRequestStart {
	start := wire.InferenceRequestStart{RequestID: id, Method: req.Method, URL: req.URL.String(), Headers: req.Header}
	if strings.HasPrefix(req.URL.Scheme, "ws") {
		socket := wire.InferenceTransport("websocket")
		start.Method, start.Transport = http.MethodGet, &socket
	}
	if c.sessionID == "" { // a list of models
		return start
	}
	kind, agent := "conversation-subagent", c.agentID
	if agent == "" { // the session stands for its main agent
		kind, agent = "conversation-agent", c.sessionID
	}
	start.SessionID, start.AgentID, start.InteractionType = &c.sessionID, &agent, &kind
	if c.agentID != "" {
		start.ParentAgentID = &c.sessionID
	}
	return start
}

// exchange sends a request to the client and waits until the answer begins.
func (x *carried) exchange(ctx context.Context, start wire.InferenceRequestStart, req *http.Request) (*http.Response, error) {
	if err := x.of.c.call(ctx, "llmInference.httpRequestStart", start); err != nil {
		return nil, err
	}
	if !x.socket {
		if err := x.sendBody(ctx, req); err != nil {
			return nil, err
		}
	}
	select {
	case answer := <-x.start:
		if answer.err != nil {
			return nil, answer.err
		}
		if x.socket && answer.Status == http.StatusSwitchingProtocols {
			return x.talk(ctx, req)
		}
		status := int(answer.Status)
		return &http.Response{
			Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: header(answer.Headers), ContentLength: -1, Request: req,
		}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// header returns headers with the names that net/http looks for.
func header(of map[string][]string) http.Header {
	h := http.Header{}
	for name, values := range of {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	return h
}

// carriedPiece is the longest piece of a request's body in one message, in bytes.
const carriedPiece = 256 << 10

// sendBody sends the body in pieces of whole characters, the last one marked. Without a body
// there is one empty piece.
func (x *carried) sendBody(ctx context.Context, req *http.Request) error {
	var data []byte
	if req.Body != nil {
		defer req.Body.Close()
		var err error
		if data, err = io.ReadAll(req.Body); err != nil {
			return err
		}
	}
	for {
		n := min(len(data), carriedPiece)
		for n < len(data) && !utf8.RuneStart(data[n]) {
			n--
		}
		end := n == len(data)
		chunk := wire.InferenceRequestChunk{RequestID: x.id, Data: string(data[:n]), End: &end}
		if err := x.of.c.call(ctx, "llmInference.httpRequestChunk", chunk); err != nil || end {
			return err
		}
		data = data[n:]
	}
}

// cancelWait bounds the message to a client that a request is cancelled.
const cancelWait = 5 * time.Second

// abandon ends an exchange that is still open, and cancels it in the client. The body then fails
// with cause.
func (x *carried) abandon(cause error) {
	if !x.of.remove(x.id) {
		return
	}
	_ = x.fill.CloseWithError(cause) // always nil
	yes := true
	end := wire.InferenceRequestChunk{RequestID: x.id, Cancel: &yes}
	if x.socket && errors.Is(cause, http.ErrBodyReadAfterClose) { // the answer is complete, or nobody wants the rest
		end = wire.InferenceRequestChunk{RequestID: x.id, End: &yes}
	}
	select {
	case x.of.ended <- end:
	default:
	}
}

// cancel cancels requests in the client, and closes its WebSockets, until the connection ends.
func (c *carriage) cancel() {
	for {
		select {
		case end := <-c.ended:
			ctx, cancel := context.WithTimeout(c.c.ctx, cancelWait)
			_ = c.c.call(ctx, "llmInference.httpRequestChunk", end) // the request may be gone
			cancel()
		case <-c.c.ctx.Done():
			return
		}
	}
}

// remove forgets an exchange, and reports whether it was open.
func (c *carriage) remove(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.exchanges[id]
	delete(c.exchanges, id)
	return open
}

// find returns an open exchange, nil if there is none; c may be nil.
func (c *carriage) find(id string) *carried {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exchanges[id]
}

// carriedBody is the body of an answer that a client brings.
type carriedBody struct {
	x    *carried
	done func()
}

func (b carriedBody) Read(p []byte) (int, error) { return b.x.body.Read(p) }

// Close cancels the request in the client, unless the answer is complete.
func (b carriedBody) Close() error {
	b.done()
	b.x.abandon(http.ErrBodyReadAfterClose)
	return b.x.body.Close()
}

// accepted is the result of what a client sends for a request.
type accepted struct {
	Accepted bool `json:"accepted"`
}

// startInferenceResponse takes the beginning of an answer.
func startInferenceResponse(_ context.Context, c *conn, p wire.InferenceResponseStart) (any, error) {
	x := c.carriage.Load().find(p.RequestID)
	if x == nil || p.Status < 100 || p.Status > 999 {
		return accepted{}, nil
	}
	first := false
	x.once.Do(func() { x.start <- begun{InferenceResponseStart: p}; first = true })
	x.began.Store(true)
	return accepted{first}, nil
}

var errNoStart = errors.New("the client that carries the model calls sent a piece of the answer before httpResponseStart")

// addInferenceResponse takes a piece of an answer. It returns when the piece is read, so that a
// client does not send faster than the answer is read.
func addInferenceResponse(_ context.Context, c *conn, p wire.InferenceResponseChunk) (any, error) {
	x := c.carriage.Load().find(p.RequestID)
	if x == nil {
		return accepted{}, nil
	}
	if p.Error == nil && !x.began.Load() { // nobody reads it, and what follows would wait behind it
		x.of.remove(x.id)
		x.fail(errNoStart)
		return accepted{}, nil
	}
	data := []byte(p.Data)
	if p.Binary != nil && *p.Binary {
		var err error
		if data, err = base64.StdEncoding.DecodeString(p.Data); err != nil {
			return nil, fault.New(fault.Invalid, "", "", "data is not base64: %w", err)
		}
	}
	if x.socket && len(data) > 0 {
		data = asEvent(data)
	}
	if len(data) > 0 {
		if _, err := x.fill.Write(data); err != nil {
			return accepted{}, nil
		}
	}
	switch {
	case p.Error != nil:
		x.of.remove(x.id)
		x.fail(errors.New(strings.TrimSpace("the client that carries the model calls reports: " + p.Error.Message)))
	case p.End != nil && *p.End:
		x.of.remove(x.id)
		_ = x.fill.Close() // always nil
	}
	return accepted{true}, nil
}

// fail ends the answer with an error, whether it has begun or not.
func (x *carried) fail(err error) {
	_ = x.fill.CloseWithError(err) // always nil
	x.once.Do(func() { x.start <- begun{err: err} })
}

// call calls a method of the client and drops the result.
func (c *conn) call(ctx context.Context, method string, params any) error {
	return peer{c}.Call(ctx, method, params, nil)
}
