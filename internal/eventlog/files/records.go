package files

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// replacement replaces bytes that are not UTF-8, which no client would accept.
var replacement = []byte("\ufffd")

// records reads a part of a log record by record, and counts what else is in
// it. The part begins where a line begins.
//
// It takes a line as it is if the line is one object, or several objects and blanks. In
// any other line it looks for records to salvage; see salvage.go. Either way it looks at
// each byte a few times at most, and maxLine bounds its memory.
type records struct {
	lines *lines
	err   error // why there is no next line; io.EOF at the end

	line line
	kind lineKind
	at   int // index in line.text of the next byte to read

	candidate candidate

	// gap says that there are bytes that are not a record between the last record, or
	// the beginning of the line, and at.
	gap    bool
	losing bool // the bytes read last were part of a broken piece

	rough    bool  // a line was not tidy
	tidy     int64 // offset behind the tidy lines before the first other one
	ended    bool  // a line feed ended the last line
	salvaged int   // records that were not alone on their line
	dropped  int   // broken pieces
	// places are the lines in which the first of them begin, at most [maxLost], counted as record.line is.
	places []uint64
}

// lineKind is a first classification of a line.
type lineKind uint8

const (
	loose lineKind = iota // anything
	sound                 // objects and blanks
	tidy                  // one object and a line feed
)

// record is one record, as records found it.
type record struct {
	json []byte // valid until the next read, unless lines is fresh
	off  int64  // where these bytes are in the file; -1 if they were changed
	line uint64 // the number of its line, or of the last of several, from where reading began
	tidy bool   // on a line of its own, as are all records before it
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

// advance reads the next line and classifies it.
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
		if utf8.Valid(text) {
			return tidy
		}
		return sound
	}
	kind := loose // also for a blank line, which can be part of a string
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

// whole returns the record of a tidy line.
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
	rec := record{json: text[from:r.at:r.at], off: r.line.off + int64(from)}
	foreign := !utf8.Valid(rec.json)
	if foreign {
		rec.json, rec.off = bytes.ToValidUTF8(rec.json, replacement), -1
	}
	if foreign || from != skipBlank(text, 0) || skipBlank(text, r.at) != len(text) {
		r.salvaged++
	}
	return rec, true
}

// found updates the counts for a record.
func (r *records) found(rec record) record {
	r.gap, r.losing = false, false
	rec.line = r.lines.number
	if !r.rough {
		rec.tidy = true
		r.tidy = r.lines.offset()
	}
	return rec
}

// lose notes that the bytes passed last, which begin in a line, are not part of a record.
func (r *records) lose(line uint64) {
	r.gap = r.at > 0 || !r.line.begins
	if r.losing {
		return
	}
	r.losing = true
	if r.dropped++; r.dropped <= maxLost {
		r.places = append(r.places, line)
	}
}

// skipBlank is skipSpace that takes NUL bytes for spaces, too: file systems leave
// them where data did not arrive before a crash, and other programs append behind them.
func skipBlank(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == 0 }
