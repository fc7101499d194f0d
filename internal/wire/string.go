package wire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// plain is true for the bytes that are copied into a string without a check or an escape.
var plain = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendString appends s as a JSON string with its quotes. It escapes what JSON requires and
// U+2028 and U+2029, which line-splitting readers take for line ends. An invalid UTF-8 byte
// becomes U+FFFD. It does not escape <, > and &, because users read the logs, and events are
// not embedded in HTML.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; ; {
		if len(s)-i >= 32 {
			i = skipWords(s, i)
		}
		for i < len(s) && plain[s[i]] {
			i++
		}
		if i == len(s) {
			break
		}
		if c := s[i]; c < utf8.RuneSelf {
			dst = appendEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			dst = append(dst, s[start:i]...)
			if size == 1 {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[r&0xf])
			}
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// skipWords returns the index of the first byte of s from i on that AppendString may have to
// escape, or an index near the end of s before which there is none. It looks at eight bytes at
// a time, because a request repeats the whole conversation with each turn.
func skipWords(s string, i int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for b := unsafe.Slice(unsafe.StringData(s), len(s)); i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		// The high bit of a byte is set if it was set, if adding 1 sets it (0x7f), or if a
		// subtraction has gone below 0: a control character, a quote, a backslash. A carry or
		// borrow may set it in bytes after such a byte, never in one before it.
		if found := (w | (w + each) | (w - each*' ') | ((w ^ each*'"') - each) | ((w ^ each*'\\') - each)) & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i
}

// appendBytes does the same as AppendString for a byte slice.
func appendBytes(dst, text []byte) []byte {
	return AppendString(dst, unsafe.String(unsafe.SliceData(text), len(text)))
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
