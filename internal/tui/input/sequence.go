package input

const (
	escape = 0x1b
	bell   = 0x07
	cancel = 0x18
	substi = 0x1a
)

// The bounds of a sequence, in bytes. A longer one is not a key, and not an answer that was asked for.
// A key of kitty's protocol can carry text, and an answer is a colour.
const (
	maxControl = 256
	maxString  = 4096
)

// pasteBegins and skipping are what [sequence] says to the Decoder; nobody else sees them.
type pasteBegins struct{}

func (pasteBegins) event() {}

// pasteMarked is the answer that the terminal marks pasted text.
type pasteMarked struct{}

func (pasteMarked) event() {}

// skipping is the rest of a sequence whose beginning was dropped.
type skipping uint8

const (
	nothing             skipping = iota
	controlSequenceRest          // a control sequence, up to its last byte
	stringRest                   // a string, up to what ends it
)

func (skipping) event() {}

// sequence decodes what begins with an escape: the event, which can be nil, and its length; 0 if
// more must come first.
func sequence(b []byte, end bool) (n int, ev Event) {
	if len(b) == 1 {
		return waiting(end, 1, named("esc", 0))
	}
	switch b[1] {
	case '[':
		return controlSequence(b, end)
	case 'O':
		return singleShift(b, end)
	case ']', 'P', '_':
		return stringSequence(b, end)
	case escape:
		return twoEscapes(b, end)
	}
	n, ev = character(b[1:], end)
	if n == 0 {
		return 0, nil
	}
	return 1 + n, withAlt(ev)
}

// waiting is the event if no more will come, and else nothing yet.
func waiting(end bool, n int, ev Event) (int, Event) {
	if !end {
		return 0, nil
	}
	return n, ev
}

// twoEscapes decodes Alt with a key that has a sequence itself, as some terminals send it. Alt
// with Esc counts as Esc.
func twoEscapes(b []byte, end bool) (n int, ev Event) {
	if len(b) == 2 {
		return waiting(end, 2, named("esc", 0))
	}
	if b[2] != '[' && b[2] != 'O' {
		return 2, named("esc", 0)
	}
	n, ev = sequence(b[1:], end)
	if n == 0 {
		return 0, nil
	}
	return 1 + n, withAlt(ev)
}

// controlSequence decodes ESC [ … up to its last byte.
func controlSequence(b []byte, end bool) (n int, ev Event) {
	const begin = 2
	if len(b) == begin {
		return waiting(end, begin, char('[', alt))
	}
	if b[begin] == '[' { // the function keys of the Linux console have one more byte
		if len(b) == begin+1 {
			return waiting(end, len(b), nil)
		}
		return begin + 2, linuxFunction(b[begin+1])
	}
	i := begin
	for ; i < len(b) && b[i] >= 0x20 && b[i] <= 0x3f; i++ {
		if i > maxControl {
			return i, controlSequenceRest
		}
		if b[i] == '$' && digits(b[begin:i]) { // rxvt ends keys with Shift so
			return i + 1, tilde(b[begin:i], shift)
		}
	}
	switch {
	case i == len(b):
		return waiting(end, i, nil)
	case i == begin && (b[i] < 0x40 || b[i] > 0x7e):
		return begin, char('[', alt)
	case b[i] < 0x40 || b[i] > 0x7e:
		return i, nil // cut off by another key
	case b[i] == 'M' && i == begin: // a click, which three bytes describe
		if len(b) < i+4 {
			return waiting(end, len(b), nil)
		}
		return i + 4, nil
	}
	return i + 1, controlKey(b[begin:i], b[i])
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// singleShift decodes ESC O and one further byte, which a number may precede.
func singleShift(b []byte, end bool) (n int, ev Event) {
	i := 2
	for i < len(b) && i < 4 && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	switch {
	case i == len(b) && i == 2:
		return waiting(end, i, char('O', alt))
	case i == len(b):
		return waiting(end, i, nil)
	case b[i] <= ' ' || b[i] > 0x7e:
		return 2, char('O', alt)
	}
	return i + 1, shiftKey(b[2:i], b[i])
}

// stringSequence decodes a string of the terminal, such as an answer. Alt and the character
// that begins it look the same until more comes.
func stringSequence(b []byte, end bool) (n int, ev Event) {
	const begin = 2
	key := char(rune(b[1]), alt)
	if len(b) == begin {
		return waiting(end, begin, key)
	}
	if b[1] == ']' && (b[begin] < '0' || b[begin] > '9') || b[begin] == escape && (len(b) == begin+1 || b[begin+1] != '\\') {
		if b[begin] == escape && len(b) == begin+1 && !end {
			return 0, nil
		}
		return begin, key // no string begins like that
	}
	length, whole := stringEnd(b[begin:], end)
	switch {
	case whole && b[1] == ']':
		return begin + length, answer(b[begin : begin+length])
	case whole:
		return begin + length, nil
	case len(b) > maxString:
		return len(b), stringRest
	}
	return waiting(end, len(b), nil)
}

// stringEnd is the length of a string with what ends it. whole is false if the end has not come.
func stringEnd(b []byte, end bool) (n int, whole bool) {
	for i, c := range b {
		switch c {
		case bell, cancel, substi:
			return i + 1, true
		case escape:
			switch {
			case i+1 < len(b) && b[i+1] == '\\':
				return i + 2, true
			case i+1 < len(b) || end:
				return i, true // another key cuts it off
			}
			return i, false
		}
	}
	return len(b), false
}

// length is how much of b belongs to the sequence that is skipped, and whether it ends there.
func (s skipping) length(b []byte, end bool) (n int, done bool) {
	if s == stringRest {
		return stringEnd(b, end)
	}
	for i, c := range b {
		if c < 0x20 || c > 0x7e {
			return i, true // cut off by another key
		}
		if c >= 0x40 {
			return i + 1, true
		}
	}
	return len(b), false
}
