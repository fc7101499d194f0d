package state

import (
	"encoding/json"
	"slices"
	"strings"
)

// closed is the beginning of a JSON object, completed in the shortest way; "{}" if there is none. Servers that put
// calls into the template of their model, such as llama.cpp's, refuse a conversation with arguments that are not JSON.
func closed(begun string) string {
	var ends []byte
	inText, escaped, done := false, false, 0
	for i := range len(begun) {
		c := begun[i]
		switch {
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped, done = true, i // a part of an escape cannot stay
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			ends = append(ends, c+2) // the one that closes it
		case (c == '}' || c == ']') && len(ends) > 0:
			ends = ends[:len(ends)-1]
		}
	}
	slices.Reverse(ends)
	for _, text := range []string{begun, begun[:done], strings.TrimRight(begun, ", \n\r\t")} {
		for _, more := range []string{"", `"`, `":null`, `null`, `:null`} {
			var object map[string]json.RawMessage
			if whole := text + more + string(ends); json.Unmarshal([]byte(whole), &object) == nil && object != nil {
				return whole
			}
		}
	}
	return "{}"
}
