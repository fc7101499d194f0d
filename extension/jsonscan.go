package extension

import "bytes"

// The functions of this file walk over JSON that [json.Valid] has accepted; on other text
// they may run past its end. They return slices of the text and never copies, so that values
// come back byte for byte.

// each calls yield for every member of an object, or element of a list, in order, until
// yield returns false. For elements of a list key is nil.
func each(raw []byte, yield func(key, value []byte) bool) {
	isObject := raw[0] == '{'
	i := skipSpace(raw, 1)
	for raw[i] != '}' && raw[i] != ']' {
		var key []byte
		if isObject {
			end := skipString(raw, i)
			key = raw[i:end]
			i = skipSpace(raw, skipSpace(raw, end)+1) // the colon
		}
		end := skipValue(raw, i)
		if !yield(key, raw[i:end:end]) {
			return
		}
		if i = skipSpace(raw, end); raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
}

// skipValue returns the index after the value that begins at i.
func skipValue(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		return skipNested(raw, i)
	}
	for i < len(raw) && bytes.IndexByte([]byte(",]} \t\r\n"), raw[i]) < 0 {
		i++
	}
	return i
}

// skipNested returns the index after the object or list that begins at i.
func skipNested(raw []byte, i int) int {
	for depth := 0; ; i++ {
		switch raw[i] {
		case '"':
			i = skipString(raw, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// skipString returns the index after the string that begins at i.
func skipString(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	return i
}

// kindOf returns the name of a value's JSON type, for errors.
func kindOf(raw []byte) string {
	switch {
	case len(raw) == 0:
		return "missing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		return "a string"
	case raw[0] == 't' || raw[0] == 'f':
		return "a boolean"
	case raw[0] == 'n':
		return "null"
	}
	return "a number"
}
