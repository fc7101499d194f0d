package files

import "io"

// records reads a part of a log record by record, whatever else is in it, and
// knows what that was. The part begins where a line begins.
//
// A line that is one object, or several and blanks, is taken as it is. In any
// other it looks for what can be salvaged; see salvage.go. Either way a byte is
// looked at a few times at most, and memory is bounded by maxLine.
type records struct {
	lines *lines
	err   error // why there is no next line; io.EOF at the end

	line line
	kind lineKind
	at   int // in line.text: what is before has been dealt with

	candidate candidate

	// gap is whether something that is no record stands between at and the last
	// record, or the beginning of the line.
	gap    bool
	losing bool // what was seen last was part of a broken piece

	rough    bool  // a line was not one record and a line feed
	tidy     int64 // offset behind the lines before the first that was not
	ended    bool  // the last line was, by a line feed
	salvaged int   // records that did not stand alone on their line
	dropped  int   // broken pieces
}

// lineKind is what a line looks like at first sight.
type lineKind uint8

const (
	loose lineKind = iota // anything
	sound                 // objects and blanks
	tidy                  // one object and a line feed
)

// record is what records finds.
type record struct {
	json []byte // valid until the next, if lines is not fresh
	off  int64  // where it stands just like this; -1 if it does not
	tidy bool   // on a line of its own, as is all before it
}

func newRecords(file io.ReaderAt, from, end int64) *records {
	return &records{lines: newLines(file, from, end), tidy: from}
}

// read returns the next record; at the end [io.EOF].
func (r *records) read() (record, error) {
	for {
		if r.at == len(r.line.text) && !r.advance() {
			return record{}, r.err
		}
		rec, ok := record{}, false
		switch r.kind {
		case tidy:
			rec, ok = r.whole(), true
		case sound:
			rec, ok = r.next()
		default:
			rec, ok = r.salvage()
		}
		if ok {
			return r.found(rec), nil
		}
	}
}

// advance reads the next line and looks what kind it is.
func (r *records) advance() bool {
	if r.line, r.err = r.lines.read(); r.err != nil {
		r.line = line{off: r.lines.offset()}
		r.at = 0
		return false
	}
	r.at, r.kind = 0, kindOf(&r.line)
	r.rough = r.rough || r.kind != tidy
	r.ended = r.line.ended()
	if r.line.begins {
		r.gap = false
	}
	return true
}

func kindOf(l *line) lineKind {
	text := l.body()
	if !l.begins || l.more || len(text) > maxLine {
		return loose
	}
	if n := objectEnd(text); n > 0 && n == len(text) && l.ended() {
		return tidy
	}
	kind := loose // also of a blank line: one can stand in a string
	for i := skipBlank(text, 0); i < len(text); i = skipBlank(text, i) {
		n := objectEnd(text[i:])
		if n == 0 {
			return loose
		}
		i += n
		kind = sound
	}
	return kind
}

// whole returns a tidy line.
func (r *records) whole() record {
	r.at = len(r.line.text)
	return record{json: r.line.body(), off: r.line.off}
}

// next returns the next object of a sound line.
func (r *records) next() (record, bool) {
	text := r.line.body()
	from := skipBlank(text, r.at)
	if from == len(text) {
		r.at = len(r.line.text)
		return record{}, false
	}
	r.at = from + objectEnd(text[from:])
	if from != skipBlank(text, 0) || skipBlank(text, r.at) != len(text) {
		r.salvaged++
	}
	return record{json: text[from:r.at:r.at], off: r.line.off + int64(from)}, true
}

// found keeps account.
func (r *records) found(rec record) record {
	r.gap, r.losing = false, false
	if !r.rough {
		rec.tidy = true
		r.tidy = r.lines.offset()
	}
	return rec
}

// lose notes that what was passed last is part of no record.
func (r *records) lose() {
	r.gap = r.at > 0 || !r.line.begins
	if !r.losing {
		r.losing = true
		r.dropped++
	}
}

// skipBlank is skipSpace that takes NUL bytes for spaces: file systems leave
// them where a crash kept data from arriving, and other programs append to that.
func skipBlank(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == 0 }
