package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// maxEvent bounds one event of a stream, in bytes. The largest real ones contain a whole
// file as a tool call's arguments.
const maxEvent = 16 << 20

// Framing is how the events of a stream are told apart that are not server-sent events.
type Framing struct {
	// Type is the media type of such a stream, without parameters.
	Type string
	// Read returns what reads the events of body, of which none may be longer than most bytes.
	Read func(body io.Reader, most int) Events
}

// Events are the events of a stream. One goroutine uses them.
type Events interface {
	// Next returns the next event; its data is valid until the next call. The error is io.EOF
	// at the end, [fault.Invalid] for a stream that cannot be read, or else that of the body.
	Next() (sse.Event, error)
	// Bytes returns how many bytes of the body have been read.
	Bytes() int64
}

// serverSent is events for a stream of server-sent events.
func (x *exchange) serverSent(d Decoder, body io.Reader) (*Response, *Error) {
	r := sse.NewReader(body, sse.Options{MaxLine: maxEvent, MaxEvent: maxEvent})
	defer r.Close()
	return x.events(d, r)
}

// maxFruitless bounds what a stream brings without a piece of an answer, in bytes: empty pieces
// could go on for ever. A last event may repeat the whole answer.
const maxFruitless = 2 * MaxAnswer

// events reads a stream until the decoder has the whole answer, or until the body ends
// where it may.
func (x *exchange) events(d Decoder, r Events) (*Response, *Error) {
	x.watch.wait()
	x.chunks = 0
	for {
		ev, err := r.Next()
		x.watch.pause()
		x.received = r.Bytes()
		switch {
		case x.received-x.fruitful > maxFruitless:
			return nil, x.garbled("the provider sends a stream without an end: %d MiB without a piece of an answer", maxFruitless>>20)
		case err == io.EOF && d.Complete():
			return x.complete(d)
		case err != nil:
			return nil, x.cut(err)
		case keepsAlive(ev.Name, ev.Data):
			x.watch.resume()
			continue
		}
		x.request.begun()
		x.chunks++
		done, err := d.Event(ev.Name, ev.Data)
		switch {
		case err != nil:
			return nil, x.reported(err)
		case done, x.repeats():
			return x.complete(d)
		}
		x.watch.wait()
	}
}

// keepsAlive reports whether an event is no part of an answer, and only keeps the connection
// alive: a server that sends nothing else is silent.
func keepsAlive(name string, data []byte) bool {
	const longest = 64 // of such an event
	if len(data) == 0 || name == "ping" || name == "keepalive" {
		return true
	}
	if len(data) > longest || !bytes.Contains(data, []byte(`"ping"`)) && !bytes.Contains(data, []byte(`"keepalive"`)) {
		return false
	}
	var e struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(data, &e) == nil && (e.Type == "ping" || e.Type == "keepalive")
}

// complete returns the answer, unless the stream ended without having had one.
func (x *exchange) complete(d Decoder) (*Response, *Error) {
	resp := x.response(d)
	if resp == nil {
		e := x.garbled("the stream ended after %d bytes without an answer", x.received)
		x.chunks-- // the last one was the mark of the end
		e.EndMark, e.EndedEarly = true, x.early()
		return nil, e
	}
	return resp, nil
}

// cut makes an Error of a stream that stopped, or that exceeds a limit. A stream that
// ended early was cut by the server or something in between.
func (x *exchange) cut(err error) *Error {
	what := fmt.Sprintf("the stream was cut after %d bytes", x.received)
	switch {
	case err == io.EOF:
		e := x.broken(what, errors.New("it ended without a finish reason"))
		e.EndedEarly = x.early()
		return e
	case fault.KindOf(err) == fault.Invalid:
		return x.garbled("the stream cannot be read: %s", fault.Message(err))
	}
	return x.broken(what, err)
}

// early is [Error.EndedEarly] of a stream that the server has ended.
func (x *exchange) early() string {
	if x.chunks == 0 {
		return "no_chunks"
	}
	return "missing_finish_reason"
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
