package input

import (
	"bytes"
	"strings"
	"time"
)

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
