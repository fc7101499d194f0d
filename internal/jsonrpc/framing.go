package jsonrpc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// Framing divides a stream into bodies, one message each. [Headers] and [Lines] are there. Bodies in both directions
// have the same framing. A Framing has no state, so that one value serves any number of connections.
type Framing interface {
	// Read returns the next frame. It reads a body that exceeds its bounds to its end, so that the next one can be read.
	// The caller owns the body, and calls [Bounds.Free] once it does not need it.
	//
	// The error is io.EOF between frames, [fault.Invalid] if nothing says where the next frame starts, and else
	// [fault.Unavailable], with io.ErrUnexpectedEOF behind it if the stream ended within a frame.
	Read(r *bufio.Reader, b *Bounds) (Frame, error)
	// AppendHead appends what stands before a body of size bytes, at most 64 bytes.
	AppendHead(dst []byte, size int) []byte
	// AppendTail appends what stands behind the body dst[start:]. The body is JSON; the framing may replace white space
	// in it.
	AppendTail(dst []byte, start int) []byte
}

// Frame is a body that was read.
type Frame struct {
	Body []byte
	// Size is how long the body is, in bytes. If Body is shorter, it is only the beginning: the body exceeded its bounds.
	Size int
	// Full says that it was the memory that had no room for the body.
	Full bool
}

// cut reports whether a part of the body is missing.
func (f *Frame) cut() bool { return len(f.Body) < f.Size }

// Bounds bounds the bodies of a stream. Limit is required.
type Bounds struct {
	// Limit is how long a body may be, in bytes; it is called at the beginning of each. Of a longer one, the first 4 KiB
	// are kept at most.
	Limit func() int
	// Skips is how many times as long as the limit a body may be that is read to its end at all. A longer one is
	// [fault.Invalid], as soon as that is known: such a peer sends broken frames, or wants to keep us busy. Default 16.
	Skips int
	// Memory counts bodies. Default: nothing is counted.
	Memory *quota.Share

	trusted bool // a length alone may allocate announced bytes
	taken   int  // bytes of memory that the body takes, until Free
}

const (
	// absurd is the default of [Bounds].Skips.
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

	// maxFrameHead bounds what a framing writes before a body, in bytes.
	maxFrameHead = 64
)

// Free gives back what the last body has taken of the memory.
func (b *Bounds) Free() {
	if b.taken > 0 {
		b.Memory.Give(b.taken)
		b.taken = 0
	}
}

// take counts n more bytes of the body, if there is room.
func (b *Bounds) take(n int) bool {
	if n > 0 && !b.Memory.Take(n) {
		return false
	}
	b.taken += n
	return true
}

// plausible is an error if a body of size bytes is so long that it is not even skipped. What names it.
func (b *Bounds) plausible(what string, size, limit int) error {
	times := b.Skips
	if times <= 0 {
		times = absurd
	}
	if (size-1)/times >= limit { // size > times*limit, without overflow
		return invalid("%s %d is beyond %d times the limit of %d bytes", what, size, times, limit)
	}
	return nil
}

// grow returns body with room for size bytes in all, and reports whether there is memory for them.
func (b *Bounds) grow(body []byte, size int) ([]byte, bool) {
	more := max(size-max(cap(body), headSize), 0)
	if cap(body) >= large {
		more *= 2
	}
	if !b.take(more) {
		return body, false
	}
	grown := make([]byte, len(body), size)
	copy(grown, body)
	return grown, true
}

// head returns a copy of the beginning of a body that is too long, so that nothing holds the rest.
func head(body []byte, limit int) []byte { return bytes.Clone(body[:min(len(body), headSize, limit)]) }

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
