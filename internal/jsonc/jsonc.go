// Package jsonc reads and changes JSON files that people write: they may have comments and
// trailing commas, as those of editors do. A change keeps everything else of the text as it is:
// comments, the order of fields, blanks.
//
// Begin with [Plain], [Set] and [Remove].
package jsonc

import "bytes"

// Plain returns the text without its comments, trailing commas and byte order mark. Each of them
// is replaced by as many spaces, so that an offset in the result is the same in text.
func Plain(text []byte) []byte { return withoutCommas(withoutComments(text)) }

// withoutComments replaces comments and a byte order mark by spaces. Line feeds stay.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		blank(out[:3])
	}
	for i := 0; i < len(out); {
		switch {
		case out[i] == '"':
			i = afterString(out, i)
		case bytes.HasPrefix(out[i:], []byte("//")):
			end := lineEnd(out, i)
			blank(out[i:end])
			i = end
		case bytes.HasPrefix(out[i:], []byte("/*")):
			n := bytes.Index(out[i+2:], []byte("*/"))
			if n < 0 {
				return out // a decoder refuses it
			}
			blank(out[i : i+n+4])
			i += n + 4
		default:
			i++
		}
	}
	return out
}

// withoutCommas replaces commas between a value and a closing bracket by spaces, in text without
// comments.
func withoutCommas(text []byte) []byte {
	out := bytes.Clone(text)
	last := byte(',') // that was no blank
	for i := 0; i < len(out); {
		switch out[i] {
		case '"':
			i, last = afterString(out, i), '"'
			continue
		case ',':
			next := bytes.TrimLeft(out[i+1:], spaces)
			if len(next) > 0 && (next[0] == '}' || next[0] == ']') && !bytes.Contains([]byte("{[,:"), []byte{last}) {
				out[i] = ' '
			}
		}
		if !bytes.Contains([]byte(spaces), []byte{text[i]}) {
			last = text[i]
		}
		i++
	}
	return out
}

// spaces are the characters that JSON allows between values.
const spaces = " \t\r\n"

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// afterString returns the offset after the string that begins at i, or the end of the text.
func afterString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// lineEnd returns the offset of the end of the line that i is in.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}
