package sse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Options configures [NewReader]. A limit of 0 or less means its default.
type Options struct {
	// MaxLine bounds one line, in bytes. Default 1 MiB.
	MaxLine int
	// MaxEvent bounds the data of one event, in bytes. Default 16 MiB.
	MaxEvent int
}

// kept is the largest buffer, in bytes, that is kept from one event to the next.
const kept = 64 << 10

// Reader reads events from a stream. It must be used by one goroutine at a time.
type Reader struct {
	lines    *Lines
	maxEvent int

	event   Event // the one being read; its Data reuses the memory of the last one
	hasData bool
	id      string // of the last id field; becomes lastID at the end of an event
	lastID  string
	err     error // returned by every later Next

	lastName string // of the last event with a name
}

// NewReader returns a Reader of r. It reads ahead, but not while it holds a complete
// event.
func NewReader(r io.Reader, opts Options) *Reader {
	if opts.MaxEvent <= 0 {
		opts.MaxEvent = 16 << 20
	}
	return &Reader{lines: NewLines(r, opts.MaxLine), maxEvent: opts.MaxEvent}
}

// Next returns the next event. Its Data is never nil, and valid until the next call. An
// event with one line of data and the same name as the event before costs no allocation.
//
// The error is io.EOF if the stream ended between events, or within one that had no data
// yet; io.ErrUnexpectedEOF, wrapped in a [fault.Unavailable], if data was lost, or part
// of a line that might have been data; [fault.Invalid] if a limit was exceeded; and
// otherwise the reader's error as [fault.Unavailable] or [fault.Canceled]. Every later
// call returns the same error.
func (r *Reader) Next() (Event, error) {
	r.reset()
	for r.err == nil {
		line, err := r.lines.next()
		switch {
		case err != nil:
			r.err = r.failure(err)
		case len(line) > 0:
			r.err = r.field(line)
		case r.dispatch():
			return r.event, nil
		}
	}
	return Event{}, r.err
}

// Close lets other readers use the memory of this one. Next returns no event after it, and data of
// earlier events is no longer valid. The stream itself stays open.
func (r *Reader) Close() {
	r.lines.release()
	r.err = cmp.Or(r.err, error(fault.New(fault.Canceled, "sse.Next", "", "the reader is closed")))
}

// LastEventID returns what to send as Last-Event-ID to resume after the last event: the
// id of that event, or of the nearest one before it that had an id. An empty id resets
// it.
func (r *Reader) LastEventID() string { return r.lastID }

// Bytes returns how many bytes have been read from the stream, including those of events
// that are not returned yet. It also grows when only comments arrive.
func (r *Reader) Bytes() int64 { return r.lines.total }

// dispatch ends an event, and reports whether it is to be delivered.
func (r *Reader) dispatch() bool {
	r.lastID = r.id
	if !r.hasData {
		r.reset()
		return false
	}
	r.event.Data = r.event.Data[:len(r.event.Data)-1] // the newline of the last line
	return true
}

func (r *Reader) reset() {
	data := r.event.Data[:0]
	if cap(data) > kept {
		data = nil
	}
	r.event = Event{Data: data}
	r.hasData = false
}

// field processes one line that is not empty.
func (r *Reader) field(line []byte) error {
	name, value := Field(line)
	switch string(name) {
	case "data":
		return r.data(value)
	case "event":
		r.name(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
			r.event.ID = r.id
		}
	case "retry":
		r.event.Retry = milliseconds(value)
	}
	return nil
}

func (r *Reader) data(value []byte) error {
	if len(r.event.Data)+len(value) > r.maxEvent {
		return fault.New(fault.Invalid, "sse.Next", "", "event is longer than %d bytes", r.maxEvent)
	}
	r.event.Data = append(append(r.event.Data, value...), '\n')
	r.hasData = true
	return nil
}

// name sets the name, reusing the string of the last one if they are equal.
func (r *Reader) name(value []byte) {
	if string(value) != r.lastName {
		r.lastName = string(value)
	}
	r.event.Name = r.lastName
}

// milliseconds returns 0 for a value that is not a number, or too large for a Duration.
func milliseconds(value []byte) time.Duration {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || n > uint64(math.MaxInt64/time.Millisecond) {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// failure returns the error of Next for an error of the lines.
func (r *Reader) failure(err error) error {
	if err == io.EOF && (r.hasData || r.lines.cutOff()) {
		return fault.New(fault.Unavailable, "sse.Next", "", "stream ended within an event: %w", io.ErrUnexpectedEOF)
	}
	return failure(err)
}

// failure gives an error of the stream its kind. io.EOF stays as it is.
func failure(err error) error {
	switch {
	case err == io.EOF || fault.KindOf(err) == fault.Invalid:
		return err
	case errors.Is(err, context.Canceled):
		return &fault.Error{Op: "sse.Next", Kind: fault.Canceled, Err: err}
	}
	return &fault.Error{Op: "sse.Next", Kind: fault.Unavailable, Err: err}
}
