package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Lines is the framing of the Agent Client Protocol and of MCP over standard streams: one body on each line. Lines with
// nothing but white space are skipped, a carriage return before the line feed is not a part of the body, and the last
// line needs no end. Line ends within a body that is written become spaces: JSON has none within strings. The first line of
// an HTTP request is [fault.Invalid]: a web page can make a browser send one to a port of this machine, with messages in
// its body.
func Lines() Framing { return lines{} }

type lines struct{}

// AppendHead implements [Framing].
func (lines) AppendHead(dst []byte, _ int) []byte { return dst }

// AppendTail implements [Framing].
func (lines) AppendTail(dst []byte, start int) []byte {
	for _, end := range []byte("\r\n") {
		body := dst[start:]
		for n := bytes.IndexByte(body, end); n >= 0; n = bytes.IndexByte(body, end) {
			body[n] = ' '
			body = body[n+1:]
		}
	}
	return append(dst, '\n')
}

// Read implements [Framing].
func (lines) Read(r *bufio.Reader, b *Bounds) (Frame, error) {
	for {
		f, err := readLine(r, b)
		if err == nil && f.isHTTP() {
			b.Free()
			return Frame{}, invalid("this is HTTP, and this port speaks JSON-RPC, one message on each line")
		}
		if err != nil || f.cut() {
			return f, err
		}
		if f.Body = bytes.Trim(f.Body, " \t\r"); len(f.Body) > 0 {
			f.Size = len(f.Body)
			return f, nil
		}
		b.Free()
	}
}

// isHTTP reports whether a line is the first one of an HTTP request: a method in capitals, with which no JSON begins, an
// address and a version. Of a line that was too long, the beginning is enough.
func (f *Frame) isHTTP() bool {
	method, rest, found := bytes.Cut(f.Body, []byte(" "))
	capitals := len(bytes.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
	return found && len(method) > 0 && capitals && (f.cut() || bytes.Contains(rest, []byte(" HTTP/")))
}

// readLine reads one line, without the line feed.
func readLine(r *bufio.Reader, b *Bounds) (Frame, error) {
	var f Frame
	limit := b.Limit()
	for {
		part, err := r.ReadSlice('\n')
		last := err == nil
		if last {
			part = part[:len(part)-1]
		}
		if f.Size == 0 && len(part) == 0 && err == io.EOF {
			return Frame{}, io.EOF
		}
		if invalid := b.plausible("a line of", f.Size+len(part), limit); invalid != nil {
			return Frame{}, invalid
		}
		b.add(&f, part, limit, last)
		switch {
		case last || err == io.EOF:
			return f, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return Frame{}, broken(err)
		}
	}
}

// add appends a part to the body of f, as long as there is room. last says that it is the last one.
func (b *Bounds) add(f *Frame, part []byte, limit int, last bool) {
	cut := f.cut()
	f.Size += len(part)
	switch {
	case cut:
		return
	case f.Size > limit:
	case f.Size <= cap(f.Body):
		f.Body = append(f.Body, part...)
		return
	default:
		size := f.Size
		if !last {
			size = min(limit, 2*f.Size)
		}
		grown, ok := b.grow(f.Body, size)
		if ok {
			f.Body = append(grown, part...)
			return
		}
		f.Full = true
	}
	f.Body = head(append(f.Body, part...), limit)
	b.Free()
}
