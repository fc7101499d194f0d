package input

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxPaste bounds a pasted text, in bytes. A longer one is cut, and the [Paste] says so.
const MaxPaste = 8 << 20

// paste collects a pasted text up to its end, which the terminal marks.
type paste struct {
	text []byte
	cut  bool
}

var pasteEnd = []byte("\x1b[201~")

// take collects the pasted text of b. The event is nil as long as the end has not come.
func (p *paste) take(b []byte) (n int, ev Event) {
	if i := bytes.Index(b, pasteEnd); i >= 0 {
		p.add(b[:i])
		return i + len(pasteEnd), p.event()
	}
	keep := 0 // the end may have begun
	for k := min(len(pasteEnd)-1, len(b)); k > 0 && keep == 0; k-- {
		if bytes.HasPrefix(pasteEnd, b[len(b)-k:]) {
			keep = k
		}
	}
	p.add(b[:len(b)-keep])
	return len(b) - keep, nil
}

func (p *paste) add(b []byte) {
	if room := MaxPaste - len(p.text); len(b) > room {
		p.cut, b = true, b[:room]
	}
	p.text = append(p.text, b...)
}

func (p *paste) event() Event {
	if p.cut {
		for range utf8.UTFMax - 1 { // the last character may be cut, too
			if r, n := utf8.DecodeLastRune(p.text); r == utf8.RuneError && n == 1 {
				p.text = p.text[:len(p.text)-1]
			}
		}
	}
	return Paste{Text: clean(p.text), Cut: p.cut}
}

// clean is a pasted text without anything that controls a terminal: line breaks are line feeds,
// escape sequences and control characters are removed but for tabs, and bytes that are no UTF-8
// are U+FFFD.
func clean(text []byte) string {
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == escape:
			n = escapeLength(text[i:min(i+maxString, len(text))])
		case r == '\r':
			out.WriteByte('\n')
			if i+1 < len(text) && text[i+1] == '\n' {
				n = 2
			}
		case r == '\n', r == '\t', r >= ' ' && r < 0x7f, r >= 0xa0:
			out.WriteRune(r)
		}
		i += n
	}
	return out.String()
}

// escapeLength is how much of a pasted text belongs to the escape sequence at its beginning: the
// escape alone if no sequence follows.
func escapeLength(b []byte) int {
	if len(b) > 1 && (b[1] == ']' || b[1] == 'P' || b[1] == '_') {
		if n, whole := stringEnd(b[1:], false); whole {
			return 1 + n
		}
		return 1
	}
	if n, _ := sequence(b, true); n > 2 {
		return n
	}
	return 1
}

// burst recognises text that was pasted at a terminal that does not mark it: nobody types six
// characters with 8 ms between them. Source of the numbers: Codex, paste_burst.rs.
type burst struct {
	count  int       // characters so far
	last   time.Time // when the last one came
	marked bool      // the same read has the end of a marked paste
}

const (
	burstKeys = 6
	burstGap  = 8 * time.Millisecond
	burstTail = 120 * time.Millisecond // how long an Enter after them belongs to them
)

// read begins what was read at once.
func (b *burst) read() { b.marked = false }

// pasted says that a marked paste has ended. Bytes of the same read cannot have been typed: a text
// can contain a mark of its own end.
func (b *burst) pasted() { b.marked = true }

// key counts a key, and returns the text that it is if it was pasted: an Enter or a Tab would
// otherwise act. rest is what was read with it.
func (b *burst) key(k Key, now time.Time, guess bool, rest []byte) (text string) {
	gap := now.Sub(b.last)
	switch {
	case k.Text != "":
	case k.Name == "enter":
		text = "\n"
	case k.Name == "tab":
		text = "\t"
	default:
		b.count = 0
		return ""
	}
	fast := b.count > 0 && gap <= burstGap
	if k.Text == "" {
		if !b.marked && !(guess && (b.count >= burstKeys && gap <= burstTail || textFollows(rest))) {
			b.count = 0
			return ""
		}
		if b.count = burstKeys; fast || gap > burstTail { // further ones belong to it, too
			b.last = now
		}
		return text
	}
	if !fast {
		b.count = 0
	}
	b.count, b.last = b.count+1, now
	return ""
}

// textFollows reports whether text was read behind an Enter or a Tab, which nobody types so fast.
func textFollows(rest []byte) bool {
	rest = bytes.TrimLeft(rest, "\r\n\t")
	return len(rest) > 0 && rest[0] >= ' '
}
