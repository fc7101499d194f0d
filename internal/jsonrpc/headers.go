package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	maxHeader      = 4 << 10 // bytes of a header section; also of one line
	maxHeaderLines = 16
)

// Headers is the framing of the Language Server Protocol, which the Copilot SDKs share: `Content-Length: N`, an empty
// line, and a body of N bytes.
func Headers() Framing { return headers{} }

type headers struct{}

// AppendHead implements [Framing].
func (headers) AppendHead(dst []byte, size int) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(size), 10)
	return append(dst, "\r\n\r\n"...)
}

// AppendTail implements [Framing].
func (headers) AppendTail(dst []byte, _ int) []byte { return dst }

// Read implements [Framing].
func (headers) Read(r *bufio.Reader, b *Bounds) (Frame, error) {
	size, err := headerSection(r)
	if err != nil {
		return Frame{}, err
	}
	limit := b.Limit()
	if err := b.plausible("Content-Length", size, limit); err != nil {
		return Frame{}, err
	}
	f := Frame{Size: size}
	if size > limit {
		f.Body, err = skip(r, size, limit)
	} else {
		f.Body, f.Full, err = readBody(r, b, size)
	}
	if err != nil {
		return Frame{}, broken(err)
	}
	return f, nil
}

// headerSection reads up to the empty line and returns the length of the body.
func headerSection(r *bufio.Reader) (int, error) {
	size, read := 0, 0
	for n := range maxHeaderLines {
		line, err := r.ReadSlice('\n')
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
		switch {
		case len(line) == 0 && size == 0:
			return 0, invalid("Content-Length is missing")
		case len(line) == 0:
			return size, nil
		case n == 0:
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

// readBody reads size bytes into a buffer that grows with what arrives, see [announced] and [large]. If there
// is no memory for it, it skips the rest and returns the beginning; full says so.
func readBody(r *bufio.Reader, b *Bounds, size int) (body []byte, full bool, err error) {
	first := min(size, headSize)
	if most := min(size, announced); b.trusted && b.take(most-first) {
		first = most
	}
	body = make([]byte, first)
	for filled := 0; ; {
		n, err := io.ReadFull(r, body[filled:])
		if filled += n; err != nil || filled == size {
			return body, false, err
		}
		to := min(size, 2*filled)
		if filled >= large {
			to = size
		}
		grown, ok := b.grow(body, to)
		if !ok {
			_, err := r.Discard(size - filled)
			return head(body, headSize), true, err
		}
		body = grown[:to]
	}
}

// skip reads size bytes and returns the first of them.
func skip(r *bufio.Reader, size, limit int) ([]byte, error) {
	head := make([]byte, min(headSize, limit))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	_, err := r.Discard(size - len(head))
	return head, err
}
