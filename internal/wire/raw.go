package wire

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"time"
	"unicode/utf8"
)

// Raw is one JSON value that is read without decoding all of it, because readers of a log
// skip most members. It must be valid JSON, as lines of a log are; otherwise members may be
// missing, but nothing worse happens. nil is an absent value. Results share its memory,
// except for strings.
type Raw []byte

// Members yields the members of an object, in order, with their keys as written between the
// quotes. For other values it yields nothing.
func (r Raw) Members() iter.Seq2[[]byte, Raw] {
	return func(yield func([]byte, Raw) bool) {
		i := open(r, '{')
		for i < len(r) && r[i] == '"' {
			end := skipString(r, i)
			key := r[i+1 : max(end-1, i+1)]
			i = skipSpace(r, end)
			if i >= len(r) || r[i] != ':' {
				return
			}
			i = skipSpace(r, i+1)
			end = skipValue(r, i)
			if end == i || !yield(key, r[i:end:end]) {
				return
			}
			i = next(r, end)
		}
	}
}

// Elements yields the elements of a list, in order. For other values it yields nothing.
func (r Raw) Elements() iter.Seq[Raw] {
	return func(yield func(Raw) bool) {
		for i := open(r, '['); i < len(r) && r[i] != ']'; {
			end := skipValue(r, i)
			if end == i || !yield(r[i:end:end]) {
				return
			}
			i = next(r, end)
		}
	}
}

// Get returns the member of that name, nil if it is absent.
func (r Raw) Get(name string) Raw {
	for key, value := range r.Members() {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// IsString reports whether the value is a string.
func (r Raw) IsString() bool { return len(r) > 1 && r[0] == '"' }

// Text returns the text of a string, "" for other values. Invalid UTF-8 becomes U+FFFD, as
// in encoding/json.
func (r Raw) Text() string {
	if !r.IsString() {
		return ""
	}
	inner := r[1 : len(r)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		if utf8.Valid(inner) {
			return string(inner)
		}
		return strings.ToValidUTF8(string(inner), "\ufffd")
	}
	if text, ok := unescape(inner); ok {
		return text
	}
	var s string
	if json.Unmarshal(r, &s) != nil {
		return ""
	}
	return s
}

// escapes maps the letter after a backslash to its character; 0 for other letters.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape decodes UTF-8 with one-letter escapes, several times faster than
// encoding/json. It reports false if there are other escapes.
func unescape(inner []byte) (string, bool) {
	if !utf8.Valid(inner) {
		return "", false
	}
	out := make([]byte, 0, len(inner))
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return string(append(out, inner...)), true
		}
		if i+1 == len(inner) || escapes[inner[i+1]] == 0 {
			return "", false
		}
		out = append(append(out, inner[:i]...), escapes[inner[i+1]])
		inner = inner[i+2:]
	}
}

// Time returns the time of a timestamp, zero for other values, and for one whose year in UTC does not have four
// digits: such a time cannot be written as JSON again.
func (r Raw) Time() time.Time {
	t, err := time.Parse(time.RFC3339, r.Text())
	if year := t.UTC().Year(); err != nil || year < 0 || year > 9999 {
		return time.Time{}
	}
	return t
}

// True reports whether the value is true.
func (r Raw) True() bool { return string(r) == "true" }

// open returns the index of the first member or element, len(r) if r does not
// begin with c.
func open(r Raw, c byte) int {
	i := skipSpace(r, 0)
	if i >= len(r) || r[i] != c {
		return len(r)
	}
	return skipSpace(r, i+1)
}

// next returns the index of the value after a comma at i or later, len(r) if there is no
// comma.
func next(r Raw, i int) int {
	i = skipSpace(r, i)
	if i >= len(r) || r[i] != ',' {
		return len(r)
	}
	return skipSpace(r, i+1)
}

func skipSpace(r Raw, i int) int {
	for i < len(r) && (r[i] == ' ' || r[i] == '\t' || r[i] == '\n' || r[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i, len(r) if it does not end.
func skipString(r Raw, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(r[i:], '"')
		if n < 0 {
			return len(r)
		}
		i += n
		slashes := 0
		for r[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the index after the value that begins at i.
func skipValue(r Raw, i int) int {
	for depth := 0; i < len(r); {
		switch r[i] {
		case '"':
			i = skipString(r, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			if depth == 0 { // a number or a literal ends at a separator
				continue
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}
