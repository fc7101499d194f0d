package extension

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// fields is the members of a JSON object by name. What is understood is taken out;
// what is left in the end is the rest.
type fields map[string]json.RawMessage

// take removes a field and returns it, nil if there is none.
func (f fields) take(name string) json.RawMessage {
	raw := f[name]
	delete(f, name)
	return raw
}

// text takes a string out. null is one of no length; what is something else stays.
func (f fields) text(name string) string {
	switch raw := f[name]; {
	case isNull(raw):
		f.take(name)
	case raw[0] == '"':
		return text(f.take(name))
	}
	return ""
}

// id is text, but for a number, which it returns as it is written and leaves there.
func (f fields) id(name string) string {
	if raw := f[name]; kindOf(raw) == "a number" {
		return string(raw)
	}
	return f.text(name)
}

// flag takes a boolean out. null is false; what is something else stays.
func (f fields) flag(name string) bool {
	switch raw := f[name]; {
	case isNull(raw), string(raw) == "false":
		f.take(name)
	case string(raw) == "true":
		f.take(name)
		return true
	}
	return false
}

// value takes any value out, nil for null.
func (f fields) value(name string) json.RawMessage {
	if raw := f.take(name); !isNull(raw) {
		return raw
	}
	return nil
}

// rest returns what was not taken, nil for nothing.
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

// text returns the string that a valid JSON string stands for.
func text(raw []byte) string {
	plain := string(raw[1 : len(raw)-1])
	if strings.IndexByte(plain, '\\') < 0 && utf8.ValidString(plain) {
		return plain
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}

// shown is a value as messages show it: its beginning, if it is long.
func shown(raw []byte) string {
	if len(raw) == 0 {
		return "missing"
	}
	if len(raw) > 40 {
		raw = append([]byte(strings.ToValidUTF8(string(raw[:40]), "")), "…"...)
	}
	return string(raw)
}
