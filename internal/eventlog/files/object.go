package files

// maxDepth bounds how deep objects and lists nest, as encoding/json does, so that a
// line of a million brackets does not need a million stack frames.
const maxDepth = 10000

// objectEnd returns the length of the JSON object that b begins with, or 0 if
// b does not begin with a complete one. It accepts what [json.Valid] accepts and is
// several times as fast, which matters when a large log is opened.
func objectEnd(b []byte) int {
	if len(b) == 0 || b[0] != '{' {
		return 0
	}
	return max(skipValue(b, 0, maxDepth), 0)
}

// The skip functions return the index behind the value that begins at b[i], or -1 if
// that value is not complete and valid.

func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case depth == 0 && (c == '{' || c == '['):
		return -1
	case c == '{':
		return skipObject(b, i, depth)
	case c == '[':
		return skipList(b, i, depth)
	case c == '-' || isDigit(c):
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	}
	return -1
}

func skipObject(b []byte, i, depth int) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for i < len(b) && b[i] == '"' {
		if i = skipString(b, i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = skipValue(b, skipSpace(b, i+1), depth-1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == '}' {
			return i + 1
		}
		if i >= len(b) || b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
	return -1
}

func skipList(b []byte, i, depth int) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth-1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i < len(b) && b[i] == ']' {
			return i + 1
		}
		if i >= len(b) || b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

// inString reports whether a byte stands for itself in a string.
func inString(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case inString(c):
		case c == '"':
			return i + 1
		case c == '\\':
			if i = skipEscape(b, i+1); i < 0 {
				return -1
			}
		default: // a control character
			return -1
		}
	}
	return -1
}

// skipEscape takes the index behind a backslash and returns the index of the last byte
// of the escape sequence.
func skipEscape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	if b[i] != 'u' {
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i
		}
		return -1
	}
	if i+4 >= len(b) {
		return -1
	}
	for _, c := range b[i+1 : i+5] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return -1
		}
	}
	return i + 4
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipDigits skips one digit or more.
func skipDigits(b []byte, i int) int {
	start := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
