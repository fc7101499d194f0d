package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// exactly decodes a JSON value, and fails on members that v does not have.
func exactly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something behind the JSON value")
	}
	return nil
}

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// unknown returns the member that an error of [exactly] is about, "" if it is about another
// matter.
func unknown(err error) string {
	if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// kindOf is the type of a value that says so.
func kindOf(raw json.RawMessage) string {
	var v struct{ Type string }
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return v.Type
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	var v map[string]json.RawMessage
	return json.Unmarshal(raw, &v) == nil && v != nil
}

// isText reports whether raw is a JSON string, and returns its value.
func isText(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

// encode is for values that always marshal.
func encode(v any) string {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// compact returns JSON without white space.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// plain are the characters of names and ids that most vendors accept.
func plain(s string, most int) bool {
	return len(s) > 0 && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// pieces cuts a text as a model's tokens do: short, also within words, and not within a character.
func pieces(s string) (out []string) {
	runes := []rune(s)
	for n := 3; len(runes) > n; n = 4 + n%5 {
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}

// modelOf is a model that a fake has.
type modelOf struct {
	id            string
	reasons       bool // it takes an effort, in place of other parameters
	responsesOnly bool // chat completions takes no tools together with an effort
}

func find(models []modelOf, id string) (modelOf, bool) {
	for _, m := range models {
		if m.id == id {
			return m, true
		}
	}
	return modelOf{}, false
}

// id makes an identifier that looks like the vendor's.
func (m *memory) id(prefix string) string {
	m.ids++
	return fmt.Sprintf("%s%024d", prefix, m.ids)
}
