package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// maxEvent bounds one event of a stream, in bytes. The largest legitimate ones
// hold a whole file as a tool call's arguments.
const maxEvent = 16 << 20

// events reads a stream to its end: "[DONE]", or the end of the body after a
// finish reason.
func (x *exchange) events(m *merger, body io.Reader) (*Response, *Error) {
	r := sse.NewReader(body, sse.Options{MaxLine: maxEvent, MaxEvent: maxEvent})
	var scan chunkScanner
	for {
		x.watch.wait()
		ev, err := r.Next()
		x.watch.pause()
		x.received = r.Bytes()
		switch {
		case err == io.EOF && m.finished(), err == nil && isDone(ev.Data):
			return x.complete(m)
		case err != nil:
			return nil, x.cut(err)
		}
		if failed := x.event(m, &scan, ev); failed != nil {
			return nil, failed
		}
	}
}

func isDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// complete returns the answer, unless the stream ended without having had one.
func (x *exchange) complete(m *merger) (*Response, *Error) {
	if len(m.branches) == 0 {
		return nil, x.garbled("the stream ended after %d bytes without an answer", x.received)
	}
	resp := m.response()
	resp.Bytes = x.received
	return resp, nil
}

// cut makes an Error of a stream that stopped, or that exceeds a limit. One that
// came to its end early was cut by the server or something in between.
func (x *exchange) cut(err error) *Error {
	switch {
	case err == io.EOF:
		err = errors.New("it ended without a finish reason")
	case fault.KindOf(err) == fault.Invalid:
		return x.garbled("the stream cannot be read: %s", fault.Message(err))
	}
	return x.broken(fmt.Sprintf("the stream was cut after %d bytes", x.received), err)
}

// event merges one event; those without data are there to keep the line alive.
func (x *exchange) event(m *merger, scan *chunkScanner, ev sse.Event) *Error {
	if len(ev.Data) == 0 {
		return nil
	}
	c, ok := scan.scan(ev.Data)
	if !ok {
		var err error
		if c, err = decodeChunk(ev.Data); err != nil {
			return x.garbled("the stream holds something else than JSON: %s", excerpt(ev.Data, 120))
		}
	}
	if c.Err != nil || ev.Name == "error" {
		return x.inBand(ev.Data)
	}
	if err := m.add(c); err != nil {
		return x.garbled("%w", err)
	}
	return nil
}

// looksLikeEvents reports whether body, whose content type does not say, begins
// like an event stream. It waits for the first bytes and takes none.
func looksLikeEvents(body *bufio.Reader) bool {
	head, _ := body.Peek(6) // an error comes back at the next read
	for _, field := range []string{"data:", "event:", ":", "id:", "retry:"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true
		}
	}
	return false
}

// drain reads what follows a complete answer, normally nothing, so that the
// connection can be used again.
func (w *watch) drain(body io.Reader) {
	w.hurry(drainWait)
	_, _ = io.CopyN(io.Discard, body, drainBytes)
}
