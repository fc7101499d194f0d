package extension

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// halves joins characters that are split over two pieces of a text, as models and proxies
// split them: the bytes of one character in UTF-8, or the two escapes of a surrogate pair
// in JSON, of which [loose] makes three bytes each.
type halves struct {
	held string // the beginning of a character, whose end the next piece has
}

// join returns the characters that are complete with s. The beginning of a character at the
// end of s is held for the next piece. Other bytes that are not UTF-8 become U+FFFD.
func (h *halves) join(s string) string {
	if h.held == "" && utf8.ValidString(s) {
		return s
	}
	all := h.held + s
	n := whole(all)
	h.held = strings.Clone(all[n:])
	return paired(all[:n])
}

// rest returns what is held at the end of the text, as U+FFFD.
func (h *halves) rest() string {
	held := h.held
	h.held = ""
	return paired(held)
}

// whole returns the length of s without an incomplete character at its end.
func whole(s string) int {
	if at := len(s) - surrogateSize; at >= 0 && isHigh(surrogate(s[at:])) {
		return at
	}
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}

// paired returns s in UTF-8: it joins surrogates that form a pair, and puts U+FFFD for other
// surrogates and for bytes that belong to no character.
func paired(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if high := surrogate(s); high != 0 {
			size = surrogateSize
			if pair := utf16.DecodeRune(high, surrogate(s[size:])); pair != utf8.RuneError {
				r, size = pair, 2*surrogateSize
			}
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

// surrogateSize is the number of bytes in which UTF-8 would write a surrogate, if it allowed
// any.
const surrogateSize = 3

// surrogate returns the surrogate that s begins with, 0 if s begins with something else.
func surrogate(s string) rune {
	if len(s) < surrogateSize || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2] < 0x80 || s[2] > 0xBF {
		return 0
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}

// isHigh reports whether r is the first surrogate of a pair.
func isHigh(r rune) bool { return 0xD800 <= r && r < 0xDC00 }

// loose returns the value of a valid JSON string for [halves.join]: bytes that are not UTF-8
// stay as they are, and a surrogate without its other half becomes three bytes.
func loose(raw []byte) string {
	in := string(raw[1 : len(raw)-1])
	if strings.IndexByte(in, '\\') < 0 {
		return in
	}
	var b []byte
	for i := 0; i < len(in); {
		switch {
		case in[i] != '\\':
			b = append(b, in[i])
			i++
		case in[i+1] != 'u':
			var one string
			_ = json.Unmarshal([]byte(`"`+in[i:i+2]+`"`), &one) // cannot fail: the JSON is valid
			b = append(b, one...)
			i += 2
		default:
			unit, _ := strconv.ParseUint(in[i+2:i+6], 16, 16) // likewise
			i += 6
			b = appendUnit(b, rune(unit))
		}
	}
	return string(b)
}

// appendUnit appends one escaped unit of UTF-16, and joins it with the one before it if they
// are a pair.
func appendUnit(b []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(b, unit)
	}
	if at := len(b) - surrogateSize; at >= 0 {
		if pair := utf16.DecodeRune(surrogate(string(b[at:])), unit); pair != utf8.RuneError {
			return utf8.AppendRune(b[:at], pair)
		}
	}
	return append(b, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0xBF, 0x80|byte(unit)&0xBF)
}
