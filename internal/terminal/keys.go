package terminal

import (
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// key is one key that the user presses: a character, or one of the constants below,
// which are not characters.
type key rune

const (
	keyUnknown key = -1 - iota
	keyUp
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyDelete
	keyWordLeft
	keyWordRight
	keyWordErase
	keyPasteBegin
	keyPasteEnd
)

// escape begins the sequences of the keys that are not characters, and is what Esc sends.
const escape = 0x1b

// The control characters that a line handles, named by the letter that is pressed.
const (
	ctrlA     key = 1
	ctrlB     key = 2
	ctrlC     key = 3
	ctrlD     key = 4
	ctrlE     key = 5
	ctrlF     key = 6
	ctrlH     key = 8
	tab       key = 9
	lineFeed  key = 10
	ctrlK     key = 11
	ctrlL     key = 12
	enter     key = 13
	ctrlN     key = 14
	ctrlP     key = 16
	ctrlU     key = 21
	ctrlW     key = 23
	backspace key = 127
)

// sequences is what terminals send after an escape for the keys that are not characters.
// Source: xterm's control sequences, and the variants of rxvt and the Linux console.
var sequences = lazy.Value[map[string]key]{Make: func() map[string]key {
	return map[string]key{
		"[A": keyUp, "[B": keyDown, "[C": keyRight, "[D": keyLeft, "[H": keyHome, "[F": keyEnd,
		"OA": keyUp, "OB": keyDown, "OC": keyRight, "OD": keyLeft, "OH": keyHome, "OF": keyEnd,
		"[1~": keyHome, "[7~": keyHome, "[4~": keyEnd, "[8~": keyEnd, "[3~": keyDelete,
		"[1;5C": keyWordRight, "[1;5D": keyWordLeft, "[1;3C": keyWordRight, "[1;3D": keyWordLeft,
		"f": keyWordRight, "b": keyWordLeft, "\x7f": keyWordErase, "[200~": keyPasteBegin, "[201~": keyPasteEnd,
	}
}}

// longestSequence bounds an escape sequence, in bytes. A longer one is cut there.
const longestSequence = 16

// nextKey returns the first key in b and its length in bytes; 0 if b holds only the
// beginning of a key. A byte that is not UTF-8 is U+FFFD, and an unknown sequence is
// keyUnknown. An escape before another escape is a key of its own.
func nextKey(b []byte) (k key, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if b[0] != escape {
		if !utf8.FullRune(b) {
			return 0, 0
		}
		r, n := utf8.DecodeRune(b)
		return key(r), n
	}
	if len(b) > 1 && b[1] == escape {
		return keyUnknown, 1
	}
	if n = sequenceEnd(b[1:]); n == 0 {
		return 0, 0
	}
	if k, known := sequences.Get()[string(b[1:1+n])]; known {
		return k, 1 + n
	}
	return keyUnknown, 1 + n
}

// sequenceEnd returns the length of a sequence after its escape, 0 if it has not ended.
func sequenceEnd(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case 'O':
		if len(b) < 2 {
			return 0
		}
		return 2
	case '[':
		for i := 1; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e || i == longestSequence {
				return i + 1
			}
		}
		return 0
	}
	return 1
}
