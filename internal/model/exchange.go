package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// MaxAnswer bounds one answer, in bytes of text, reasoning and arguments together. The
// longest real ones are some hundred thousand tokens, about a megabyte; past the bound a
// server is broken or hostile.
const MaxAnswer = 64 << 20

const (
	// errorBodyWait bounds the wait for each piece of an error's body, which matters less
	// than the status.
	errorBodyWait = 5 * time.Second
	// drainWait bounds the wait for the end of a body whose answer is complete. A new
	// connection would take about as long.
	drainWait  = 50 * time.Millisecond
	drainBytes = 4 << 10
)

// exchange is one call over HTTP: a request that can be sent several times.
type exchange struct {
	client  *Client
	dialect *overHTTP
	ep      *Endpoint // for its transport, to sign, and for the decoder
	request *Request
	url     *url.URL
	on      string // url without user and query, for errors
	header  http.Header
	body    *Body
	scene   *Scene

	// Of the attempt under way:
	watch     *watch
	onDelta   func(Delta) // nil: nobody listens
	started   time.Time
	first     time.Duration // until the first delta
	received  int64         // bytes of the answer's body
	fruitful  int64         // how many of them had come with the last delta
	chunks    int           // events of the stream that the decoder has taken
	delivered bool          // a delta went out
	loops     *loops        // nil: the answer may repeat itself
}

// Address returns the URL without user and query.
func (x *exchange) Address() string { return x.on }

// Close lets the memory of the request be used again.
func (x *exchange) Close() { x.body.release() }

// Try sends the request once and reads the answer.
func (x *exchange) Try(ctx context.Context, onDelta func(Delta)) (*Response, error) {
	x.started, x.onDelta = time.Now(), onDelta
	x.first, x.received, x.fruitful, x.delivered = 0, 0, 0, false
	if x.loops = nil; x.client.watched {
		x.loops = &loops{}
		defer x.loops.free()
	}
	x.watch = newWatch(ctx, x.client.Silence(x.ep))
	defer x.watch.stop()
	resp, err := x.send()
	if err != nil {
		return nil, x.unheard(x.broken("no answer", err), connected(err) || x.ep.Transport != nil)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		failed := x.refusal(resp)
		return nil, x.unheard(failed, noWebSocketHere(resp) || failed.tries == maxHopeful) // or the client that carries the call has failed it
	}
	r, failed := x.read(resp)
	if failed != nil {
		failed.CallID = callID(resp.Header)
		return nil, x.unheard(failed, true)
	}
	r.CallID, r.Model = callID(resp.Header), word(r.Model)
	r.RequestBytes, r.Bytes, r.FirstDelta, r.Duration = int64(x.body.size), x.received, x.first, time.Since(x.started)
	if r.FinishReason != FinishRepetition { // else the rest would not end
		x.watch.drain(resp.Body)
	}
	return r, nil
}

// unheard notes that WebSockets may not work here, if useless says that the failure shows it and nothing of
// an answer has come. A provider that was silent has taken the call, and would take it again. What the
// dialect knows about the failure is more exact, and stays.
func (x *exchange) unheard(e *Error, useless bool) *Error {
	if useless && e.repair == "" && x.ep.WebSocket && x.ep.OrHTTP && x.received == 0 && !x.watch.silent() {
		e.repair = RepairHTTP
	}
	return e
}

func (x *exchange) send() (*http.Response, error) {
	req, err := http.NewRequestWithContext(x.inScene(), http.MethodPost, x.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Body, req.ContentLength = x.body.open(), int64(x.body.size)
	req.GetBody = func() (io.ReadCloser, error) { return x.body.open(), nil } // the transport calls it before Do returns
	req.Header = x.header.Clone()
	return x.do(req)
}

// do signs a request, if the dialect does that, and sends it.
func (x *exchange) do(req *http.Request) (*http.Response, error) {
	if x.dialect.Sign != nil {
		x.dialect.Sign(req, x.body, x.ep)
	}
	return x.client.do(x.ep.Transport, req)
}

// inScene returns a context by which a transport knows the call.
func (x *exchange) inScene() context.Context {
	return WithScene(x.watch.ctx, x.scene.Endpoint, x.scene.Request)
}

// refusal reads the body of an error.
func (x *exchange) refusal(resp *http.Response) *Error {
	x.watch.hurry(errorBodyWait)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came is enough
	e := refused(resp, body, x.on, x.dialect.Errors)
	x.ep.Params.blame(e, x.dialect.params(x.ep))
	if len(body) == 0 && err != nil && x.ep.Transport != nil {
		e.Message, e.tries = fault.Message(err), maxHopeful // of the client which carries the call
	}
	return e
}

// read reads an answer in the form that it has, even if the request asked for another: a stream
// is known by its content type or first bytes, and anything else is one JSON document.
func (x *exchange) read(resp *http.Response) (*Response, *Error) {
	var emit func(Delta)
	switch {
	case x.onDelta != nil:
		emit = x.deliver
	case x.loops != nil:
		emit = x.loops.add
	}
	d := x.dialect.Decoder(x.ep, x.request, emit)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return x.serverSent(d, resp.Body)
	}
	if f := x.dialect.Framing; f != nil && kind == f.Type {
		return x.events(d, f.Read(resp.Body, maxEvent))
	}
	x.watch.wait()
	body := bufio.NewReader(resp.Body)
	if looksLikeEvents(body) {
		return x.serverSent(d, body)
	}
	return x.whole(d, resp, watched{body, x.watch})
}

// response returns the answer, without its repetition if it repeats itself; nil if none has begun.
func (x *exchange) response(d Decoder) *Response {
	if s, ok := d.(stoppable); ok && x.repeats() {
		s.Stopped()
	}
	r := d.Response()
	if r != nil && x.repeats() {
		x.loops.cut(r)
	}
	return r
}

// repeats reports whether the answer repeats itself up to the end of what has come.
func (x *exchange) repeats() bool { return x.loops != nil && x.loops.found != 0 }

func (x *exchange) deliver(d Delta) {
	if x.loops != nil {
		x.loops.add(d)
	}
	if d.Kind == DeltaHeld {
		return
	}
	if !x.delivered {
		x.first = time.Since(x.started)
	}
	x.delivered = true
	x.fruitful, d.Bytes = x.received, x.received
	x.onDelta(d)
}

// ErrNoAnswer is returned by a [Decoder] for a document that is not an answer.
var ErrNoAnswer = errors.New("this is not an answer")

// whole reads an answer of one JSON document.
func (x *exchange) whole(d Decoder, resp *http.Response, body io.Reader) (*Response, *Error) {
	data, err := io.ReadAll(io.LimitReader(body, MaxAnswer+1))
	switch {
	case err != nil:
		return nil, x.broken(fmt.Sprintf("the answer was cut after %d bytes", len(data)), err)
	case len(data) > MaxAnswer:
		return nil, x.garbled("the answer is longer than %d MiB", MaxAnswer>>20)
	}
	x.received = int64(len(data))
	switch err := d.Whole(data); {
	case errors.Is(err, ErrNoAnswer):
		return nil, unreadable(resp, data, x.on)
	case err != nil:
		return nil, x.reported(err)
	}
	return x.response(d), nil
}

// broken makes an Error of a failed read or write. It may be tried again unless the certificate of
// the provider is not valid, or something else would fail in the same way.
func (x *exchange) broken(what string, err error) *Error {
	e := &Error{URL: x.on, Category: CategoryNetwork, Retryable: true, Delivered: x.delivered, Cause: err}
	if x.watch.silent() {
		e.Message = fmt.Sprintf("%s: the provider was silent for %v", what, x.watch.limit)
		e.Category = CategoryTimeout
		return e
	}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		e.Message, e.Category, e.Retryable = refusal.Text, CategoryReplay, false
		return e
	}
	var outer *url.Error // its text repeats method and URL
	if errors.As(err, &outer) {
		err = outer.Err
	}
	text, again := x.connection(fault.Message(err), err)
	e.Message, e.Retryable = what+": "+text, again
	var unknown *net.DNSError
	if errors.As(err, &unknown) && unknown.IsNotFound || errors.Is(err, syscall.ECONNREFUSED) && here(x.ep.BaseURL) != "" {
		e.tries = maxHopeful
	}
	if x.ep.Transport != nil {
		e.tries = maxHopeful
	}
	return e
}

// garbled makes an Error of an answer that breaks the protocol.
func (x *exchange) garbled(format string, args ...any) *Error {
	return &Error{URL: x.on, Message: fmt.Errorf(format, args...).Error(), Category: CategoryProtocol, Delivered: x.delivered}
}

// reported makes an Error of the error that a decoder returned.
func (x *exchange) reported(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return x.garbled("%w", err)
	}
	e.URL = x.on
	x.dialect.Errors.Classify(e)
	e.Delivered = x.delivered
	return e
}
