package sse

import (
	"bytes"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// firstBuffer is the size of a read buffer at first, in bytes. It holds a few
	// dozen deltas; it doubles for a line that needs it, and then stays.
	firstBuffer = 8 << 10

	// maxEmptyReads is how often in a row a reader may give nothing, and no error.
	maxEmptyReads = 100
)

// lines cuts a stream into lines.
type lines struct {
	r     io.Reader
	max   int   // bytes of a line
	total int64 // bytes read

	buf        []byte
	start, end int   // of what is read and not cut yet
	seen       int   // so many bytes from start have no line end among them
	skip       bool  // the last line ended in \r: a \n next is part of that end
	begun      bool  // the first line, which may bear a byte order mark, is past
	err        error // of r, due when all before it is cut
}

// next returns the next line without its end. It is valid until the next call. A
// last line without an end is not returned, see cutOff.
func (l *lines) next() ([]byte, error) {
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

// cut takes a line out of the buffer, if there is a whole one.
func (l *lines) cut() (line []byte, found bool) {
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
	l.start += n + 1
	l.seen, l.skip = 0, rest[n] == '\r'
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

// unmarked returns line without the byte order mark that the first may bear.
func (l *lines) unmarked(line []byte) []byte {
	if l.begun {
		return line
	}
	return bytes.TrimPrefix(line, []byte("\uFEFF"))
}

// cutOff reports whether the stream ended in a line that was going to be a field.
func (l *lines) cutOff() bool {
	rest := l.unmarked(l.buf[l.start:l.end])
	return len(rest) > 0 && rest[0] != ':'
}

// fill reads once. An error that comes with bytes is kept for the next time.
func (l *lines) fill() error {
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

// makeRoom moves what is left to the front, and doubles the buffer if that fills it.
func (l *lines) makeRoom() {
	l.end = copy(l.buf, l.buf[l.start:l.end])
	l.start = 0
	if l.end == len(l.buf) {
		grown := make([]byte, max(firstBuffer, 2*len(l.buf)))
		copy(grown, l.buf)
		l.buf = grown
	}
}
