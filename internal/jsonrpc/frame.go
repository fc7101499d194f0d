package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

const (
	maxHeader      = 4 << 10 // bytes of a header section; also of one line
	maxHeaderLines = 16

	// absurd times MaxFrame is a length that is not even skipped: a peer that claims it
	// sends broken frames, or wants to keep us busy.
	absurd = 16

	// headSize is how much of a body that is too long is kept, in bytes, to find its
	// id. As much of each body is not counted, so that a peer can always send a small message.
	headSize = 4 << 10

	// announced is how much memory an announced length of a trusted peer alone allocates, in bytes.
	// Beyond it a buffer grows with what arrives, so that an idle peer cannot claim MaxFrame.
	announced = 64 << 10

	// large is how much of a body has to arrive, in bytes, before the rest is allocated by its announced
	// length: until then the buffer doubles. What is beyond it counts twice, because what is decoded of
	// such a body is as large as the body itself and lives beside it.
	large = 1 << 20
)

// frameReader splits a stream into bodies.
type frameReader struct {
	buf   *bufio.Reader
	limit func() int // bytes of a body; asked when its header has been read
	max   int        // the last result of limit

	memory  *quota.Share // counts the body
	trusted bool         // a length alone may allocate announced bytes
	taken   int          // bytes of memory that the body takes, until free
	full    bool         // the body was cut off because memory had no room
}

func newFrameReader(r io.Reader, limit func() int) *frameReader {
	return &frameReader{buf: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next returns the next body and its announced size in bytes. A body shorter than its
// size exceeded the limit, or the memory for it if full is set: only its beginning was kept. The
// caller owns the body, and calls free or takes over what it has taken of the memory.
//
// The error is io.EOF between frames, [fault.Invalid] for a header that does not
// say where the next frame starts, and else [fault.Unavailable], with
// io.ErrUnexpectedEOF behind it if the stream ended within a frame.
func (f *frameReader) next() (body []byte, size int, err error) {
	f.full = false
	size, err = f.header()
	if err != nil {
		return nil, 0, err
	}
	if size > f.max {
		body, err = f.skip(size)
	} else {
		body, err = f.body(size)
	}
	if err != nil {
		return nil, 0, broken(err)
	}
	return body, size, nil
}

// header reads up to the empty line and returns the length of the body.
func (f *frameReader) header() (int, error) {
	size, read := 0, 0
	for n := range maxHeaderLines {
		line, err := f.buf.ReadSlice('\n')
		if read += len(line); read == 0 && err == io.EOF {
			return 0, io.EOF
		}
		if read > maxHeader || errors.Is(err, bufio.ErrBufferFull) {
			return 0, invalid("header section is longer than %d bytes", maxHeader)
		}
		if err != nil {
			return 0, broken(err)
		}
		line = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
		if len(line) == 0 {
			f.max = f.limit()
			return size, f.plausible(size)
		}
		if n == 0 {
			err = firstLine(line)
		}
		if err == nil {
			size, err = headerLine(line, size)
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, invalid("header section has more than %d lines", maxHeaderLines)
}

// firstLine refuses what is no header of this protocol. A web page can make a browser send
// HTTP to a port of this machine, with a frame in its body; the line of an HTTP request would
// pass as a header that is skipped if its address contains a colon.
func firstLine(line []byte) error {
	name, _, _ := bytes.Cut(line, []byte(":"))
	switch name := string(bytes.TrimSpace(name)); {
	case strings.EqualFold(name, "Content-Length"), strings.EqualFold(name, "Content-Type"):
		return nil
	case bytes.Contains(line, []byte(" HTTP/")):
		return invalid("this is HTTP, and this port speaks JSON-RPC, for programs on a Copilot SDK")
	}
	return invalid("a frame begins with Content-Length, and not with %.40q", line)
}

// headerLine returns the length in a header line, or size if the line is another
// header.
func headerLine(line []byte, size int) (int, error) {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found {
		return 0, invalid("header line %.40q has no colon", line)
	}
	if !strings.EqualFold(string(bytes.TrimSpace(name)), "Content-Length") {
		return size, nil
	}
	if size != 0 {
		return 0, invalid("Content-Length is given twice")
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, strconv.IntSize-1)
	if err != nil || n == 0 {
		return 0, invalid("Content-Length is %.40q, not a number above zero", value)
	}
	return int(n), nil
}

func (f *frameReader) plausible(size int) error {
	if size == 0 {
		return invalid("Content-Length is missing")
	}
	if (size-1)/absurd >= f.max {
		return invalid("Content-Length %d is beyond %d times the limit of %d bytes", size, absurd, f.max)
	}
	return nil
}

// body reads size bytes into a buffer that grows with what arrives, see [announced] and [large]. If there
// is no memory for it, body skips the rest and returns the beginning.
func (f *frameReader) body(size int) ([]byte, error) {
	first := min(size, headSize)
	if most := min(size, announced); f.trusted && f.take(most-first) {
		first = most
	}
	body := make([]byte, first)
	for filled := 0; ; {
		n, err := io.ReadFull(f.buf, body[filled:])
		if filled += n; err != nil || filled == size {
			return body, err
		}
		grow := min(size, 2*filled)
		more := grow - filled
		if filled >= large {
			grow, more = size, 2*(size-filled)
		}
		if !f.take(more) {
			f.full = true
			_, err := f.buf.Discard(size - filled)
			return body[:headSize:headSize], err
		}
		grown := make([]byte, grow)
		copy(grown, body)
		body = grown
	}
}

// take counts n more bytes of the body, if there is room.
func (f *frameReader) take(n int) bool {
	if n > 0 && !f.memory.Take(n) {
		return false
	}
	f.taken += n
	return true
}

// free gives back what the body has taken.
func (f *frameReader) free() {
	if f.taken > 0 {
		f.memory.Give(f.taken)
		f.taken = 0
	}
}

// skip reads size bytes and returns the first of them.
func (f *frameReader) skip(size int) ([]byte, error) {
	head := make([]byte, min(headSize, f.max))
	if _, err := io.ReadFull(f.buf, head); err != nil {
		return nil, err
	}
	_, err := f.buf.Discard(size - len(head))
	return head, err
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, "jsonrpc.Run", "", format, args...)
}

// broken wraps an error of the transport in the middle of a frame.
func broken(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &fault.Error{Op: "jsonrpc.Run", Kind: fault.Unavailable, Err: fmt.Errorf("reading a frame: %w", err)}
}
