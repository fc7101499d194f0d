package clientfs

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

// logName is the file of a log. damagedName keeps what a repair took out of it.
const (
	logName     = "events.jsonl"
	damagedName = logName + ".damaged"
	repairName  = logName + ".repair"
)

// maxLog bounds the log of a session, in bytes of a JSON string: the client sends all of it in
// one message, which jsonrpc bounds to 64 MiB.
const maxLog = 60 << 20

// extent describes the beginning of a log, up to and including a record.
type extent struct {
	records uint64
	bytes   int64
	utf16   int64  // in units of UTF-16, in which some clients count
	escaped int64  // bytes of the JSON string, at most
	sum     uint64 // checksum
}

// then returns the extent after text, which has the given number of lines, was appended.
func (e extent) then(text string, lines int) extent {
	e.records += uint64(lines)
	e.bytes += int64(len(text))
	e.sum = checksum(e.sum, text)
	for _, r := range text {
		e.utf16 += int64(max(1, utf16.RuneLen(r)))
		switch {
		case r == '"' || r == '\\' || r == '\n':
			e.escaped += 2
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			e.escaped += 6 // some clients escape these
		default:
			e.escaped += int64(utf8.RuneLen(r))
		}
	}
	return e
}

// checksum returns the checksum of a text that follows text with the checksum sum; that of no
// text is 0. It is FNV-1a with 0 as its offset basis, which needs no table and can be
// continued.
func checksum(sum uint64, text string) uint64 {
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * 0x100000001b3
	}
	return sum
}

// has reports whether size is the size of this content, in bytes or in units of UTF-16.
func (e extent) has(size int64) bool { return size == e.bytes || size == e.utf16 }

// begins reports whether text begins with the content that e describes.
func (e extent) begins(text string) bool {
	return int64(len(text)) >= e.bytes && checksum(0, text[:e.bytes]) == e.sum
}

// isRecord reports whether rec can be a record of the log.
func isRecord(rec []byte) bool {
	return len(rec) <= eventlog.MaxRecord && bytes.HasPrefix(rec, []byte("{")) && bytes.HasSuffix(rec, []byte("}")) &&
		bytes.IndexByte(rec, '\n') < 0 && json.Valid(rec)
}

// bytesKey begins the line of a record that is not text, and of a record that looks like such a
// line.
const bytesKey = `{"base64":"`

// toLine returns the line of a record, with its line feed.
func toLine(rec []byte) string {
	if line := string(rec); utf8.ValidString(line) && !strings.HasPrefix(line, bytesKey) {
		return line + "\n"
	}
	return bytesKey + base64.StdEncoding.EncodeToString(rec) + "\"}\n"
}

// toRecord returns the record of a line without its line feed; ok reports that it is one.
func toRecord(line string) (rec []byte, ok bool) {
	if encoded, special := strings.CutPrefix(line, bytesKey); special {
		if rec, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(encoded, `"}`)); err == nil && isRecord(rec) {
			return rec, true
		}
	}
	return []byte(line), isRecord([]byte(line))
}

// parse sorts the lines of a log. good is the text of those that are records, bad the others,
// among them a last line without its line feed.
func parse(text string) (good string, e extent, bad []string) {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		bare, complete := strings.CutSuffix(line, "\n")
		if _, ok := toRecord(bare); complete && ok {
			e = e.then(line, 1)
			kept.WriteString(line)
		} else {
			bad = append(bad, bare)
		}
	}
	if len(bad) == 0 {
		return text, e, nil
	}
	return kept.String(), e, bad
}
