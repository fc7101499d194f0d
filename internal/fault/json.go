package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSON returns an error of encoding/json in words of JSON, for users and clients: which field
// is of which type and which one it has to be, or where the text stops being JSON. It has no
// names of Go types, provided that the decoded types embed none. Other errors, and nil, are
// returned as they are.
func JSON(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "it"
		}
		return fmt.Errorf("%s is a JSON %s, want %s", field, kind.Value, inJSON(kind.Type))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is not JSON: it ends too early")
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: %w at byte %d", syntax, syntax.Offset)
	case err != nil && strings.HasPrefix(err.Error(), "json: "):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return err
}

// DecodeObject is [json.Unmarshal] of a text that must be a JSON object, so that null is an
// error as well. Errors are those of [JSON].
func DecodeObject(data []byte, v any) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return errors.New("it is a JSON null, want an object")
	}
	return JSON(json.Unmarshal(data, v))
}

// inJSON returns the name of a Go type in JSON.
func inJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return inJSON(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a bool"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string"
		}
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a number"
}
