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
	file  io.ReaderAt
	fresh bool  // what was returned is never written over: for readers who keep it
	next  int64 // offset of the first byte not read yet
	end   int64 // offset to stop at
	buf   []byte
	have  []byte // what was read and not returned, within buf

	inside bool // what was returned last did not end its line
}

// line is one line or, of a line above maxLine, a piece.
type line struct {
	text   []byte // with the line feed, if it has one; valid until the next, if not fresh
	off    int64  // where it begins
	begins bool   // it is the first piece, or all
	more   bool   // it is not the last piece
}

func newLines(file io.ReaderAt, from, end int64) *lines {
	return &lines{file: file, next: from, end: end}
}

// ended says whether a line feed ends it, and not the end of the file.
func (l *line) ended() bool { return len(l.text) > 0 && l.text[len(l.text)-1] == '\n' }

// body is the text without the line feed.
func (l *line) body() []byte {
	n := len(l.text)
	if l.ended() {
		n--
	}
	return l.text[:n:n]
}

// offset is where the next line begins.
func (l *lines) offset() int64 { return l.next - int64(len(l.have)) }

// read returns the next line, or [io.EOF].
func (l *lines) read() (line, error) {
	for searched := 0; ; {
		if i := bytes.IndexByte(l.have[searched:], '\n'); i >= 0 {
			return l.take(searched+i+1, false), nil
		}
		searched = len(l.have)
		if searched > maxLine || l.inside && searched > 0 {
			return l.take(searched, true), nil
		}
		switch err := l.fill(); {
		case err == io.EOF && searched == 0:
			return line{}, io.EOF
		case err == io.EOF:
			return l.take(searched, false), nil
		case err != nil:
			return line{}, err
		}
	}
}

// take returns the first n bytes of what is there.
func (l *lines) take(n int, more bool) line {
	piece := line{text: l.have[:n:n], off: l.offset(), begins: !l.inside, more: more}
	l.have = l.have[n:]
	l.inside = more
	return piece
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

// makeRoom moves what is there to the front of buf, or of a new one: one twice
// as large if it was full of it, one of the usual size if it must stay as it is.
func (l *lines) makeRoom(left int64) {
	buf := l.buf
	switch full := len(l.have) == len(buf); {
	case full:
		grown := max(2*len(buf), int(min(window, left)))
		buf = make([]byte, min(grown, maxLine+window))
	case l.fresh:
		room := max(2*len(l.have), int(min(window, int64(len(l.have))+left)))
		buf = make([]byte, min(room, maxLine+window))
	}
	copy(buf, l.have)
	l.have, l.buf = buf[:len(l.have)], buf
}
