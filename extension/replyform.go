package extension

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// form is the format of a whole answer, detected from its beginning.
type form uint8

const (
	formNothing  form = iota // nothing but white space
	formStream               // server-sent events
	formDocument             // JSON
	formPage                 // HTML
	formText                 // anything else
)

const byteOrderMark = "\uFEFF"

// formOf detects the format of in without consuming it. A body that begins with 4 KiB of
// white space counts as a stream.
func formOf(in *bufio.Reader) form {
	for {
		_, err := in.Peek(min(in.Buffered()+1, in.Size()))
		b, _ := in.Peek(in.Buffered())
		if f, sure := formOfStart(b); sure || err != nil {
			return f
		}
		if in.Buffered() == in.Size() {
			return formStream
		}
	}
}

// formOfStart returns the format of a body that begins with b. sure is false if more bytes
// could change the result.
func formOfStart(b []byte) (f form, sure bool) {
	if strings.HasPrefix(byteOrderMark, string(b)) && len(b) < len(byteOrderMark) {
		return formNothing, false
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte(byteOrderMark)), " \t\r\n")
	if len(b) == 0 {
		return formNothing, false
	}
	switch b[0] {
	case '{', '[':
		return formDocument, true
	case ':':
		return formStream, true
	case '<':
		return formOfMarkup(b)
	}
	sure = true
	for _, name := range []string{"data", "event", "id", "retry"} {
		rest, begins := bytes.CutPrefix(b, []byte(name))
		switch {
		case begins && (len(rest) == 0 || rest[0] == ':' || rest[0] == '\r' || rest[0] == '\n'):
			return formStream, len(rest) > 0
		case strings.HasPrefix(name, string(b)):
			sure = false
		}
	}
	return formText, sure
}

func formOfMarkup(b []byte) (f form, sure bool) {
	sure = true
	for _, mark := range []string{"<!doctype html", "<html"} {
		n := min(len(b), len(mark))
		if bytes.EqualFold(b[:n], []byte(mark[:n])) {
			if n == len(mark) {
				return formPage, true
			}
			sure = false
		}
	}
	return formText, sure
}

// bounded reads at most max bytes of r; reading more is an error. An error is returned by
// every later read.
type bounded struct {
	r    io.Reader
	left int64
	max  int64
	err  error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		n, err = n-1, unreadable("the answer is longer than %d bytes", b.max)
	}
	b.err = err
	return n, err
}
