package sse

import (
	"bytes"
	"io"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// firstBuffer is the initial size of a read buffer, in bytes. It holds a few dozen
	// deltas. The buffer doubles for a longer line and never shrinks.
	firstBuffer = 8 << 10

	// maxEmptyReads is how often in a row a reader may return neither bytes nor an error.
	maxEmptyReads = 100
)

// Lines splits a stream into lines, for callers that accept input which is not a valid
// event stream. It must be used by one goroutine at a time.
type Lines struct {
	r     io.Reader
	max   int   // bytes of a line
	total int64 // bytes read

	buf        []byte
	start, end int   // the part of buf that has been read and not returned
	seen       int   // how many bytes from start are known to hold no line end
	skip       bool  // the last line ended with \r, so a \n that follows belongs to that end
	begun      bool  // the first line, which may have a byte order mark, has been returned
	err        error // of r; returned after all lines before it

	number int   // of the last line, from 1
	offset int64 // of its first byte
	ended  byte  // its line end; see End
}

// NewLines returns the lines of r. A line longer than limit bytes is an error; 0 or less
// means 1 MiB.
func NewLines(r io.Reader, limit int) *Lines {
	if limit <= 0 {
		limit = 1 << 20
	}
	return &Lines{r: r, max: limit}
}

// Next returns the next line without its end and without a byte order mark. It is valid
// until the next call. Unlike a [Reader], it also returns text after the last line end as
// a line.
//
// The error is io.EOF after the last line, [fault.Invalid] if a line is too long, and
// otherwise the reader's error as [fault.Unavailable] or [fault.Canceled].
func (l *Lines) Next() ([]byte, error) {
	line, err := l.next()
	switch {
	case err == nil:
		return line, nil
	case err == io.EOF && l.start < l.end:
		line = l.unmarked(l.buf[l.start:l.end])
		l.mark(l.start)
		l.start, l.seen, l.ended = l.end, 0, 0
		return line, nil
	}
	return nil, failure(err)
}

// Position returns the number of the last line, from 1, and the offset of its first byte
// in the stream, from 0.
func (l *Lines) Position() (line int, offset int64) { return l.number, l.offset }

// End returns how the last line ended: '\n', '\r' with or without a '\n' after it,
// or 0 at the end of the stream.
func (l *Lines) End() byte { return l.ended }

// mark notes that the line at this index of the buffer is the last one returned.
func (l *Lines) mark(at int) {
	l.number++
	l.offset = l.total - int64(l.end-at)
}

// Field splits a line into the name and the value of a field.
func Field(line []byte) (name, value []byte) {
	name, value, _ = bytes.Cut(line, []byte(":"))
	return name, bytes.TrimPrefix(value, []byte(" "))
}

// next returns the next line without its end. It is valid until the next call. It does
// not return a last line without an end; see cutOff.
func (l *Lines) next() ([]byte, error) {
	for {
		line, found := l.cut()
		if max(len(line), l.seen) > l.max {
			return nil, fault.New(fault.Invalid, "sse.Next", "", "line is longer than %d bytes", l.max)
		}
		if found {
			line = l.unmarked(line)
			l.begun = true
			return line, nil
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// cut takes a line out of the buffer, if it holds a complete one.
func (l *Lines) cut() (line []byte, found bool) {
	if l.skip && l.start < l.end {
		if l.buf[l.start] == '\n' {
			l.start++
		}
		l.skip = false
	}
	rest := l.buf[l.start:l.end]
	n := lineEnd(rest[l.seen:])
	if n < 0 {
		l.seen = len(rest)
		return nil, false
	}
	n += l.seen
	l.mark(l.start)
	l.start += n + 1
	l.seen, l.ended = 0, rest[n]
	l.skip = l.ended == '\r'
	return rest[:n], true
}

// lineEnd returns the index of the first byte that ends a line, -1 for none.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	before := b
	if n >= 0 {
		before = b[:n]
	}
	if r := bytes.IndexByte(before, '\r'); r >= 0 {
		return r
	}
	return n
}

// unmarked returns line without the byte order mark that the first line may have.
func (l *Lines) unmarked(line []byte) []byte {
	if l.begun {
		return line
	}
	return bytes.TrimPrefix(line, []byte("\uFEFF"))
}

// cutOff reports whether the stream ended within a line that may have been a field.
func (l *Lines) cutOff() bool {
	rest := l.unmarked(l.buf[l.start:l.end])
	return len(rest) > 0 && rest[0] != ':'
}

// fill reads once. An error that comes together with bytes is kept for the next call.
func (l *Lines) fill() error {
	l.makeRoom()
	for range maxEmptyReads {
		if l.err != nil {
			return l.err
		}
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.total += int64(n)
		l.err = err
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// buffers are buffers of firstBuffer bytes that no stream uses: most answers need no longer one.
var buffers sync.Pool

// buffer returns a buffer of at least n bytes.
func buffer(n int) []byte {
	if n <= firstBuffer {
		if b, ok := buffers.Get().(*[firstBuffer]byte); ok {
			return b[:]
		}
		n = firstBuffer
	}
	return make([]byte, n)
}

// release lets other streams use the memory of the buffer.
func (l *Lines) release() {
	if len(l.buf) == firstBuffer {
		buffers.Put((*[firstBuffer]byte)(l.buf))
	}
	l.buf = nil
}

// makeRoom moves the unread bytes to the front, and doubles the buffer if it is full.
func (l *Lines) makeRoom() {
	l.end = copy(l.buf, l.buf[l.start:l.end])
	l.start = 0
	if l.end == len(l.buf) {
		grown := buffer(2 * len(l.buf))
		copy(grown, l.buf)
		l.release()
		l.buf = grown
	}
}
