package files

import (
	"bytes"
	"io"
)

const (
	// maxLine bounds one line, in bytes. A longer one is no record: to hold it
	// would be to let a damaged log decide how much memory we use.
	maxLine = 64 << 20

	window = 64 << 10 // what is read at once
)

// lines reads a part of a file line by line. It holds one line at a time.
type lines struct {
	file io.ReaderAt
	next int64 // offset of the first byte not read yet
	end  int64 // offset to stop at
	buf  []byte
	have []byte // what was read and not returned, within buf
}

// line is one line.
type line struct {
	text  []byte // without the line feed, valid until the next; nil if long
	off   int64  // where it begins
	long  bool   // above maxLine
	ended bool   // by a line feed, not by the end of the file
}

func newLines(file io.ReaderAt, from, end int64) *lines {
	return &lines{file: file, next: from, end: end}
}

// offset is where the next line begins.
func (l *lines) offset() int64 { return l.next - int64(len(l.have)) }

// read returns the next line, or [io.EOF].
func (l *lines) read() (line, error) {
	off := l.offset()
	for searched := 0; ; {
		if i := bytes.IndexByte(l.have[searched:], '\n'); i >= 0 {
			return l.take(searched+i, 1, off), nil
		}
		searched = len(l.have)
		if searched > maxLine {
			return l.skip(off)
		}
		switch err := l.fill(); {
		case err == io.EOF && searched == 0:
			return line{}, io.EOF
		case err == io.EOF:
			return l.take(searched, 0, off), nil
		case err != nil:
			return line{}, err
		}
	}
}

// take returns the first n bytes of what is there as a line, and passes feed
// more.
func (l *lines) take(n, feed int, off int64) line {
	text := l.have[:n:n]
	l.have = l.have[n+feed:]
	if n > maxLine {
		return line{off: off, long: true, ended: feed > 0}
	}
	return line{text: text, off: off, ended: feed > 0}
}

// skip passes the rest of a line that is too long.
func (l *lines) skip(off int64) (line, error) {
	for {
		l.have = l.have[:0]
		switch err := l.fill(); {
		case err == io.EOF:
			return line{off: off, long: true}, nil
		case err != nil:
			return line{}, err
		}
		if i := bytes.IndexByte(l.have, '\n'); i >= 0 {
			l.have = l.have[i+1:]
			return line{off: off, long: true, ended: true}, nil
		}
	}
}

// fill reads more behind what is there. [io.EOF] if there is no more.
func (l *lines) fill() error {
	left := l.end - l.next
	if left <= 0 {
		return io.EOF
	}
	l.makeRoom(left)
	free := l.buf[len(l.have):]
	n, err := l.file.ReadAt(free[:min(int64(len(free)), left)], l.next)
	l.have = l.buf[:len(l.have)+n]
	l.next += int64(n)
	switch {
	case n > 0:
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF // the file has shrunk under us
	}
	return err
}

// makeRoom moves what is there to the front of buf, and doubles a buf that is
// full of it.
func (l *lines) makeRoom(left int64) {
	buf := l.buf
	if len(l.have) == len(buf) {
		grown := max(2*len(buf), int(min(window, left)))
		buf = make([]byte, min(grown, maxLine+window))
	}
	copy(buf, l.have)
	l.have, l.buf = buf[:len(l.have)], buf
}
