package files

import "io"

// records reads a part of a log record by record, and knows what it passed
// over.
type records struct {
	lines  *lines
	line   line // the last one read
	number int  // of that line, from 1, if the part begins with the log

	// The next record is line.text[from:to]; there is none if to is 0. Those of
	// the line end before last. They are found one by one, because a line of 64
	// MiB can have more of them than we care to remember.
	from, to, last int

	skipped []int // numbers of lines that hold no record
	behind  int64 // offset behind the last line that was ended, or the last record if that is later
}

func newRecords(file io.ReaderAt, from, end int64) *records {
	return &records{lines: newLines(file, from, end)}
}

// read returns the next record, valid until the next, and the offset at which
// it begins. At the end [io.EOF].
//
// Of a last line that has no line feed it returns the records that are whole.
func (r *records) read() (rec []byte, off int64, err error) {
	for r.to == 0 {
		next, err := r.lines.read()
		if err != nil {
			return nil, 0, err
		}
		r.line = next
		r.number++
		r.search()
	}
	rec, off = r.line.text[r.from:r.to], r.line.off+int64(r.from)
	r.advance()
	return rec, off, nil
}

// search finds the records of the line just read.
func (r *records) search() {
	whole := r.scan() && !r.line.long
	switch {
	case r.line.ended:
		r.behind = r.lines.offset()
	case r.last > 0:
		r.behind = r.line.off + int64(r.last)
	}
	if r.line.ended && !whole {
		r.skipped = append(r.skipped, r.number)
		r.to = 0
	}
}

// scan sets from and to to the first object that the line begins with, last to
// the end of the last, and reports whether there is nothing else on it.
func (r *records) scan() (whole bool) {
	text := r.line.text
	r.from, r.to, r.last = skipBlank(text, 0), 0, 0
	for i := r.from; i < len(text); i = skipBlank(text, r.last) {
		n := objectEnd(text[i:])
		if n == 0 {
			return false
		}
		r.last = i + n
		if r.to == 0 {
			r.to = r.last
		}
	}
	return true
}

// advance moves on to the next object of the line.
func (r *records) advance() {
	if r.to == r.last {
		r.to = 0
		return
	}
	r.from = skipBlank(r.line.text, r.to)
	r.to = r.from + objectEnd(r.line.text[r.from:])
}

// skipBlank is skipSpace that takes NUL bytes for spaces: file systems leave
// them where a crash kept data from arriving, and other programs append to that.
func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == 0) {
		i++
	}
	return i
}
