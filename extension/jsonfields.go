package extension

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// fields holds the members of a JSON object by name. Decoding takes members out; those that
// remain become the Rest.
type fields map[string]json.RawMessage

// take removes a field and returns it, nil if it is absent.
func (f fields) take(name string) json.RawMessage {
	raw := f[name]
	delete(f, name)
	return raw
}

// text removes a string field and returns its value. null counts as "". A value of another
// type stays.
func (f fields) text(name string) string {
	switch raw := f[name]; {
	case isNull(raw):
		f.take(name)
	case raw[0] == '"':
		return text(f.take(name))
	}
	return ""
}

// id works as text does, except that it also returns a number as its digits; the number
// stays.
func (f fields) id(name string) string {
	if raw := f[name]; kindOf(raw) == "a number" {
		return string(raw)
	}
	return f.text(name)
}

// flag removes a boolean field and returns its value. null counts as false. A value of
// another type stays; the string "true", in any case, counts as true.
func (f fields) flag(name string) bool {
	switch raw := f[name]; {
	case isNull(raw), string(raw) == "false":
		f.take(name)
	case string(raw) == "true":
		f.take(name)
		return true
	case isString(raw):
		return strings.EqualFold(text(raw), "true")
	}
	return false
}

// value removes a field of any type and returns it, nil for null.
func (f fields) value(name string) json.RawMessage {
	if raw := f.take(name); !isNull(raw) {
		return raw
	}
	return nil
}

// rest returns the fields that were not taken, nil if there are none.
func (f fields) rest() map[string]json.RawMessage {
	if len(f) == 0 {
		return nil
	}
	return f
}

// isNull reports whether a field is null or absent.
func isNull(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// text returns the value of a valid JSON string.
func text(raw []byte) string {
	plain := string(raw[1 : len(raw)-1])
	if strings.IndexByte(plain, '\\') < 0 && utf8.ValidString(plain) {
		return plain
	}
	var s string
	_ = json.Unmarshal(raw, &s) // cannot fail: the JSON is valid
	return s
}

// shown returns a value as error messages show it, shortened if it is long.
func shown(raw []byte) string {
	if len(raw) == 0 {
		return "missing"
	}
	if len(raw) > 40 {
		raw = append([]byte(strings.ToValidUTF8(string(raw[:40]), "")), "…"...)
	}
	return string(raw)
}
