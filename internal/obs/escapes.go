package obs

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEscaping is how many times a text is unescaped in search of secrets: an event may have
// the arguments of a call as JSON in a string, and these may again have JSON in a string.
const maxEscaping = 3

// mayHide reports whether a text has escapes that [forms] does not produce. They may stand for
// characters of a secret: JSON allows "\u0073" for "s", and "\/" for "/". index finds a byte.
func mayHide[T string | []byte](text T, index func(T, byte) int) bool {
	for {
		i := index(text, '\\')
		if i < 0 || i+1 >= len(text) {
			return false
		}
		switch text = text[i+1:]; text[0] {
		case '/':
			return true
		case 'u':
			if !writtenByGo(string(text[1:min(len(text), 5)])) {
				return true
			}
		}
	}
}

// writtenByGo reports whether Go escapes a character with these digits in each text: a control
// character, which no secret has, or <, > and &, for which there are [forms].
func writtenByGo(digits string) bool {
	return digits == "003c" || digits == "003e" || digits == "0026" || len(digits) == 4 && (digits[:3] == "000" || digits[:3] == "001")
}

// replaceEscaped replaces the needles that a text has only once its JSON escapes are decoded.
// The rest of the text stays as it is written. It does not copy a text that has none.
func replaceEscaped(text string, words *index) string {
	if len(words.words) == 0 || !mayHide(text, strings.IndexByte) {
		return text
	}
	for depth := 1; depth <= maxEscaping; depth++ {
		plain, at := text, []int(nil)
		for range depth {
			plain, at = unescape(plain, at)
		}
		text = replaceDecoded(text, plain, at, words)
		if !mayHide(plain, strings.IndexByte) {
			break
		}
	}
	return text
}

// replaceDecoded replaces, in a text, the parts that are a needle in plain, which is the
// decoded text; at has the positions of its bytes in the text, as [unescape] returns them.
func replaceDecoded(text, plain string, at []int, words *index) string {
	var out strings.Builder
	done := 0 // so many bytes of the text are in out or replaced
	for _, found := range words.occurrences(plain) {
		from, to := at[found[0]], at[found[1]]
		if to <= done {
			continue
		}
		if from >= done {
			out.WriteString(text[done:from])
			out.WriteString(Redacted)
		}
		done = to
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// unescape decodes the JSON escapes in a text that need not be JSON. at has, for each byte of
// the text, its position in the original, and one more for the end; nil if the text is the
// original. The returned positions are of the same kind.
func unescape(text string, at []int) (plain string, positions []int) {
	out := make([]byte, 0, len(text))
	positions = make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		before := len(out)
		var n int
		out, n = appendUnescaped(out, text[i:])
		for range len(out) - before {
			positions = append(positions, original(at, i))
		}
		i += n
	}
	return string(out), append(positions, original(at, len(text)))
}

func original(at []int, i int) int {
	if at == nil {
		return i
	}
	return at[i]
}

// appendUnescaped appends what the beginning of a text stands for, a byte or an escape, and
// returns how many bytes of the text that was.
func appendUnescaped(dst []byte, text string) (out []byte, n int) {
	if text[0] != '\\' || len(text) < 2 {
		return append(dst, text[0]), 1
	}
	switch text[1] {
	case '"', '\\', '/':
		return append(dst, text[1]), 2
	case 'u':
		c, ok := hexRune(text)
		if !ok {
			break
		}
		if low, ok := hexRune(text[6:]); ok && utf16.IsSurrogate(c) {
			if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), 12
			}
		}
		return utf8.AppendRune(dst, c), 6
	}
	return append(dst, text[0]), 1 // a line break and the like, or no escape of JSON
}

// hexRune reads the \uXXXX at the beginning of a text.
func hexRune(text string) (rune, bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false
	}
	c, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(c), err == nil
}
