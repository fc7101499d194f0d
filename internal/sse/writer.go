package sse

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Writer writes events to a stream. It must be used by one goroutine at a time.
type Writer struct {
	w     io.Writer
	flush func() error
	buf   []byte
}

// NewWriter returns a Writer to w. Each event is flushed at once if w has a method for
// it: FlushError, as the response writers of net/http have, or Flush, with or without an
// error.
func NewWriter(w io.Writer) *Writer {
	flush := func() error { return nil }
	switch f := w.(type) {
	case interface{ FlushError() error }:
		flush = f.FlushError
	case interface{ Flush() error }:
		flush = f.Flush
	case interface{ Flush() }:
		flush = func() error { f.Flush(); return nil }
	}
	return &Writer{w: w, flush: flush}
}

// Send writes one event, in one Write. Each line of Data becomes a data line; the reader
// gets the lines joined by \n. With nil Data there is no data line, so the reader does
// not deliver the event, but its id and retry count.
//
// The error is [fault.Invalid], with nothing written, if the name or id contains a line
// end, or the id a NUL byte; otherwise it is the error of w as [fault.Unavailable].
func (w *Writer) Send(e Event) error {
	if strings.ContainsAny(e.Name, "\r\n") || strings.ContainsAny(e.ID, "\r\n\x00") {
		return fault.New(fault.Invalid, "sse.Send", "", "name %q or id %q has more than one line", e.Name, e.ID)
	}
	b := w.buf[:0]
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	if e.Retry > 0 {
		b = strconv.AppendInt(append(b, "retry: "...), int64(e.Retry/time.Millisecond), 10)
		b = append(b, '\n')
	}
	if e.Data != nil {
		b = appendField(b, "data: ", e.Data)
	}
	return w.write(append(b, '\n'))
}

// Comment writes a line that readers ignore. It shows proxies on the way that the stream
// is alive. Errors are those of [Writer.Send].
func (w *Writer) Comment(text string) error {
	return w.write(appendField(w.buf[:0], ": ", []byte(text)))
}

// appendField appends a line for each line of value, at least one.
func appendField(b []byte, name string, value []byte) []byte {
	for {
		n := lineEnd(value)
		if n < 0 {
			return append(append(append(b, name...), value...), '\n')
		}
		b = append(append(append(b, name...), value[:n]...), '\n')
		if bytes.HasPrefix(value[n:], []byte("\r\n")) {
			n++
		}
		value = value[n+1:]
	}
}

// write writes b, and keeps its memory for the next call unless it is large.
func (w *Writer) write(b []byte) error {
	w.buf = nil
	if cap(b) <= kept {
		w.buf = b
	}
	_, err := w.w.Write(b)
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return &fault.Error{Op: "sse.Send", Kind: fault.Unavailable, Err: err}
	}
	return nil
}
