package model

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// errorBodyWait bounds the wait for each piece of an error's body: the status
	// has said most of it.
	errorBodyWait = 5 * time.Second
	// drainWait bounds waiting for the end of a body whose answer is complete. It
	// is what a new connection would cost instead.
	drainWait  = 50 * time.Millisecond
	drainBytes = 4 << 10
)

// exchange is one call: a request that can be sent several times.
type exchange struct {
	client  *Client
	url     *url.URL
	on      string // url for people
	header  http.Header
	body    []byte
	onDelta func(Delta) // nil: nobody listens

	// Of the attempt under way:
	watch     *watch
	started   time.Time
	first     time.Duration // until the first delta
	received  int64         // bytes of the answer's body
	delivered bool          // a delta went out; kept over attempts, ends them
}

// try sends the request once and reads the answer.
func (x *exchange) try(ctx context.Context) (*Response, *Error) {
	x.started = time.Now()
	x.watch = newWatch(ctx, x.client.idle)
	defer x.watch.stop()
	resp, err := x.send()
	if err != nil {
		return nil, x.broken("no answer", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, x.refusal(resp)
	}
	r, failed := x.read(resp)
	if failed != nil {
		failed.CallID = callID(resp.Header)
		return nil, failed
	}
	r.CallID = callID(resp.Header)
	r.FirstDelta, r.Duration = x.first, time.Since(x.started)
	x.watch.drain(resp.Body)
	return r, nil
}

func (x *exchange) send() (*http.Response, error) {
	req, err := http.NewRequestWithContext(x.watch.ctx, http.MethodPost, x.url.String(), bytes.NewReader(x.body))
	if err != nil {
		return nil, err
	}
	req.Header = x.header.Clone()
	return x.client.http.Do(req)
}

// refusal reads the body of an error.
func (x *exchange) refusal(resp *http.Response) *Error {
	x.watch.hurry(errorBodyWait)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came is enough
	return refused(resp, body, x.on)
}

// read takes an answer for what it is, whatever was asked for: a stream by its
// content type or first bytes, else one JSON object.
func (x *exchange) read(resp *http.Response) (*Response, *Error) {
	m := &merger{}
	if x.onDelta != nil {
		m.emit = x.deliver
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return x.events(m, resp.Body)
	}
	x.watch.wait()
	body := bufio.NewReader(resp.Body)
	if looksLikeEvents(body) {
		return x.events(m, body)
	}
	return x.whole(m, resp, watched{body, x.watch})
}

func (x *exchange) deliver(d Delta) {
	if !x.delivered {
		x.first = time.Since(x.started)
	}
	x.delivered = true
	d.Bytes = x.received
	x.onDelta(d)
}

// whole reads an answer of one JSON object.
func (x *exchange) whole(m *merger, resp *http.Response, body io.Reader) (*Response, *Error) {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, x.broken(fmt.Sprintf("the answer was cut after %d bytes", len(data)), err)
	case len(data) > maxAnswer:
		return nil, x.garbled("the answer is longer than %d MiB", maxAnswer>>20)
	}
	c, err := decodeChunk(data)
	if err != nil || c.Err == nil && len(c.Choices) == 0 {
		return nil, unreadable(resp, data, x.on)
	}
	if c.Err != nil {
		return nil, x.inBand(data)
	}
	x.received = int64(len(data))
	if err := m.add(c); err != nil {
		return nil, x.garbled("%w", err)
	}
	r := m.response()
	r.Bytes = x.received
	return r, nil
}

// broken makes an Error of a failed read or write. It may be tried again unless a
// delta went out, the silence was the failure, or the server's certificate is.
func (x *exchange) broken(what string, err error) *Error {
	e := &Error{URL: x.on, category: CategoryNetwork, again: !x.delivered, cause: err}
	if x.watch.silent() {
		e.Message = fmt.Sprintf("%s: the provider was silent for %v", what, x.watch.limit)
		e.category, e.again = CategoryTimeout, false
		return e
	}
	var outer *url.Error // its text repeats method and URL
	if errors.As(err, &outer) {
		err = outer.Err
	}
	e.Message = what + ": " + fault.Message(err)
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		e.again = false
	}
	return e
}

// garbled makes an Error of an answer that breaks the protocol.
func (x *exchange) garbled(format string, args ...any) *Error {
	return &Error{URL: x.on, Message: fmt.Errorf(format, args...).Error(), category: CategoryProtocol}
}

// inBand makes an Error of one that came as a 200. A status it names counts as
// if it were the answer's.
func (x *exchange) inBand(data []byte) *Error {
	e := &Error{URL: x.on}
	if !e.read(data) {
		e.Message = "the provider reported an error: " + excerpt(data, 120)
	}
	if status, _ := strconv.Atoi(e.Code); status >= 400 && status < 600 {
		e.Status = status
	}
	e.again = e.mayPass() && !x.delivered
	return e
}
