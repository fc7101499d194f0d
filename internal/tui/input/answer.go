package input

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// answer is the event of an operating system command, which begins with its number and ends with
// what ended it. Only the answer to "which background" is one.
func answer(body []byte) Event {
	text, ours := strings.CutPrefix(strings.TrimRight(string(body), "\x1b\\\a\x18\x1a"), "11;")
	if !ours {
		return nil
	}
	dark, ok := isDark(text)
	if !ok {
		return nil
	}
	return Background{Dark: dark}
}

// isDark reports whether a colour is dark, and whether it is a colour. Terminals write colours as
// X11 does: rgb:ffff/ffff/ffff, rgba:ff/ff/ff/ff or #ffffff, with one to four hexadecimal digits
// for each part.
func isDark(colour string) (dark, ok bool) {
	_, parts, named := strings.Cut(colour, ":")
	if !named {
		hex, ok := strings.CutPrefix(colour, "#")
		n := len(hex) / 3
		if !ok || n == 0 || len(hex)%3 != 0 {
			return false, false
		}
		parts = hex[:n] + "/" + hex[n:2*n] + "/" + hex[2*n:]
	}
	rgb := strings.Split(parts, "/")
	if len(rgb) < 3 {
		return false, false
	}
	// How bright the parts of a colour look. Source: ITU-R BT.601.
	bright := 0.0
	for i, weight := range [...]float64{0.299, 0.587, 0.114} {
		v, err := strconv.ParseUint(rgb[i], 16, 16)
		if err != nil {
			return false, false
		}
		bright += weight * float64(v) / float64(uint64(1)<<(4*len(rgb[i]))-1)
	}
	return bright < 0.5, true
}

// answerWait is how long the rest of an answer may take to arrive. Over ssh, an answer can come in pieces.
const answerWait = time.Second

// isAnswer reports whether b is the beginning of an answer of the terminal: no key begins like that.
func isAnswer(b []byte) bool {
	return len(b) > 2 && b[1] == ']' && '0' <= b[2] && b[2] <= '9' || bytes.HasPrefix(b, []byte("\x1b[?"))
}

// goesOn reports whether an answer that has begun with b can go on with c: with a part of a colour or its end,
// or with a number and the letter at the end. Something else, such as Enter, is a key.
func goesOn(b []byte, c byte) bool {
	switch {
	case b[len(b)-1] == escape:
		return c == '\\'
	case b[1] == ']':
		return strings.IndexByte("0123456789abcdefABCDEFrg:/;#\x07\x1b", c) >= 0
	}
	return strings.IndexByte("0123456789;$ycu", c) >= 0
}
