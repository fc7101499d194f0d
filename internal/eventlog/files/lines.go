package files

import (
	"bytes"
	"io"
)

const (
	// maxLine bounds one line that is read, in bytes. A longer line is not a record:
	// otherwise a damaged log could decide how much memory this process uses.
	maxLine = 64 << 20

	window = 64 << 10 // bytes that are read at once
)

// lines reads a part of a file line by line. It holds one line at a time.
type lines struct {
	file  io.ReaderAt
	fresh bool  // returned lines are never overwritten, so that readers can keep them
	next  int64 // offset of the first byte not read yet
	end   int64 // offset to stop at
	buf   []byte
	have  []byte // bytes that were read and not returned yet, within buf

	inside bool   // the piece that was returned last did not end its line
	number uint64 // how many lines were begun
}

// line is one line, or a piece of a line above maxLine.
type line struct {
	text   []byte // with the line feed, if it has one; valid until the next read, unless fresh
	off    int64  // where it begins
	begins bool   // it is the first piece, or the whole line
	more   bool   // it is not the last piece
}

func newLines(file io.ReaderAt, from, end int64) *lines {
	return &lines{file: file, next: from, end: end}
}

// ended reports whether a line feed ends the line, and not the end of the file.
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

// take returns the first n bytes that were read.
func (l *lines) take(n int, more bool) line {
	piece := line{text: l.have[:n:n], off: l.offset(), begins: !l.inside, more: more}
	l.have = l.have[n:]
	l.inside = more
	if piece.begins {
		l.number++
	}
	return piece
}

// fill reads more bytes. [io.EOF] if there are none.
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
		return io.ErrUnexpectedEOF // the file has become shorter meanwhile
	}
	return err
}

// makeRoom moves the bytes in have to the front of buf, or of a new buffer: one twice as
// large if buf is full, one of the usual size if buf must not be overwritten.
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
