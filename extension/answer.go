package extension

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The functions below write JSON field by field: encoding/json would reformat the agent's
// data, and escape characters that need escaping only in HTML.

// require returns an error if a value is blank. pairs holds names and values in turn.
func require(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if strings.TrimSpace(pairs[i+1]) == "" {
			return fmt.Errorf("it has no %s", pairs[i])
		}
	}
	return nil
}

// answer returns the JSON of the reference as an agent sends it.
func (r Reference) answer() ([]byte, error) {
	if err := require("Type", r.Type, "ID", r.ID, "Metadata.DisplayName", r.Metadata.DisplayName); err != nil {
		return nil, err
	}
	b := member(nil, "type", r.Type)
	b = member(b, "id", r.ID)
	if len(r.Data) > 0 {
		data, err := object(r.Data)
		if err != nil {
			return nil, fmt.Errorf("its Data %w", err)
		}
		b = append(append(b, `,"data":`...), data...)
	}
	b = fmt.Appendf(b, `,"is_implicit":%t,"metadata":`, r.Implicit)
	meta := member(nil, "display_name", r.Metadata.DisplayName)
	if r.Metadata.DisplayIcon != "" {
		meta = member(meta, "display_icon", r.Metadata.DisplayIcon)
	}
	if r.Metadata.DisplayURL != "" {
		meta = member(meta, "display_url", r.Metadata.DisplayURL)
	}
	return append(append(b, meta...), '}', '}'), nil
}

// answer returns the JSON of the confirmation.
func (c Confirmation) answer() ([]byte, error) {
	if err := require("Title", c.Title, "Message", c.Message); err != nil {
		return nil, err
	}
	data, err := identified(c.Data)
	if err != nil {
		return nil, fmt.Errorf("its Data %w", err)
	}
	b := member(nil, "type", "action")
	b = member(b, "title", c.Title)
	b = member(b, "message", c.Message)
	b = append(append(append(b, `,"confirmation":`...), data...), '}')
	if len(b) > maxHeld {
		return nil, fmt.Errorf("it is longer than %d bytes", maxHeld)
	}
	return b, nil
}

func (f Fault) check() error {
	if !slices.Contains([]string{FaultReference, FaultFunction, FaultAgent}, f.Type) {
		return fmt.Errorf("its Type %q is not %s, %s or %s", f.Type, FaultReference, FaultFunction, FaultAgent)
	}
	return require("Code", f.Code, "Message", f.Message, "Identifier", f.Identifier)
}

// answer returns the JSON of the error.
func (f Fault) answer() []byte {
	b := member(nil, "type", f.Type)
	b = member(b, "code", f.Code)
	b = member(b, "message", f.Message)
	return append(member(b, "identifier", f.Identifier), '}')
}

// member appends a field with a string value to a JSON object. If b is empty, it begins the
// object.
func member(b []byte, name, value string) []byte {
	if len(b) == 0 {
		b = append(b, '{')
	} else {
		b = append(b, ',')
	}
	b = append(append(append(b, '"'), name...), '"', ':')
	return append(b, quote(value)...)
}

// object returns a JSON object as one line; data that is on one line is returned unchanged.
func object(data []byte) ([]byte, error) {
	data = bytes.TrimSpace(data)
	if !json.Valid(data) || data[0] != '{' || !utf8.Valid(data) {
		return nil, errors.New("is not a JSON object in UTF-8")
	}
	if bytes.ContainsAny(data, "\r\n") {
		var line bytes.Buffer
		_ = json.Compact(&line, data) // cannot fail: the JSON is valid
		data = line.Bytes()
	}
	return data, nil
}

// identified returns a confirmation's data with an id: the one it has, or a random one.
func identified(data []byte) ([]byte, error) {
	if len(data) == 0 {
		data = []byte("{}")
	}
	data, err := object(data)
	if err != nil {
		return nil, err
	}
	var id []byte
	each(data, func(key, value []byte) bool {
		if text(key) == "id" {
			id = value
		}
		return true
	})
	switch kind := kindOf(id); {
	case kind == "a number", kind == "a string" && len(id) > len(`""`):
		return data, nil
	case kind != "missing":
		return nil, errors.New("has an id that is neither a number nor a string of some length")
	}
	b := append([]byte(`{"id":`), quote(rand.Text())...)
	if inner := bytes.TrimSpace(data[1:]); inner[0] != '}' {
		b = append(b, ',')
	}
	return append(b, data[1:]...), nil
}

// quote returns s as a JSON string.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
