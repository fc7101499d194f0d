package sse

import (
	"bytes"
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

// kept is the capacity, in bytes, of a data buffer worth keeping between events.
const kept = 64 << 10

// Reader takes events off a stream. It is for one goroutine.
type Reader struct {
	lines    *Lines
	maxEvent int

	event   Event // the one being read; Data is the memory of the last
	hasData bool
	id      string // as the fields say; becomes lastID at the end of an event
	lastID  string
	err     error // final

	lastName string // of the last event that had one
}

// NewReader returns a Reader of r. It reads ahead, and asks r for no more while it
// holds a whole event.
func NewReader(r io.Reader, opts Options) *Reader {
	if opts.MaxEvent <= 0 {
		opts.MaxEvent = 16 << 20
	}
	return &Reader{lines: NewLines(r, opts.MaxLine), maxEvent: opts.MaxEvent}
}

// Next returns the next event. Its Data is never nil, and valid until the next call.
// An event whose data is one line, and whose name is that of the event before,
// costs no allocation.
//
// The error is io.EOF if the stream ended between events, or within one that had no
// data yet; io.ErrUnexpectedEOF, behind a [fault.Unavailable], if data was lost, or
// part of a line that might have been data; [fault.Invalid] if a limit was exceeded;
// and else the reader's, as [fault.Unavailable] or [fault.Canceled]. It is final:
// further calls return it again.
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

// LastEventID returns what to send as Last-Event-ID to resume after the last event:
// the id that it or the nearest before it gave. An empty id takes back one before.
func (r *Reader) LastEventID() string { return r.lastID }

// Bytes returns how many bytes were read off the stream so far, those of events to
// come included. It may grow while the stream delivers nothing but comments.
func (r *Reader) Bytes() int64 { return r.lines.total }

// dispatch ends an event, and reports whether there is one to deliver.
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

// field takes in one line that is not empty.
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

// name sets the name, out of the memory of the last one if it is the same.
func (r *Reader) name(value []byte) {
	if string(value) != r.lastName {
		r.lastName = string(value)
	}
	r.event.Name = r.lastName
}

// milliseconds returns 0 for what is not a number, or too great for a Duration.
func milliseconds(value []byte) time.Duration {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || n > uint64(math.MaxInt64/time.Millisecond) {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

// failure is what Next returns for an error of the lines.
func (r *Reader) failure(err error) error {
	if err == io.EOF && (r.hasData || r.lines.cutOff()) {
		return fault.New(fault.Unavailable, "sse.Next", "", "stream ended within an event: %w", io.ErrUnexpectedEOF)
	}
	return failure(err)
}

// failure gives an error of the stream its kind; io.EOF is none.
func failure(err error) error {
	switch {
	case err == io.EOF || fault.KindOf(err) == fault.Invalid:
		return err
	case errors.Is(err, context.Canceled):
		return &fault.Error{Op: "sse.Next", Kind: fault.Canceled, Err: err}
	}
	return &fault.Error{Op: "sse.Next", Kind: fault.Unavailable, Err: err}
}
