package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encode returns v as the value of a member, empty for a nil v. The bytes of a raw
// message are passed on unchecked: the caller guarantees that they are JSON.
func encode(v any, empty string) ([]byte, error) {
	raw, isRaw := v.(json.RawMessage)
	switch {
	case v == nil, isRaw && len(raw) == 0:
		return []byte(empty), nil
	case isRaw:
		return raw, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // frames are not embedded in HTML
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// A frame that we send is a head, one value, and a brace. These functions append the
// heads.

func appendNotification(dst []byte, method string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = appendString(dst, method)
	return append(dst, `,"params":`...)
}

func appendRequest(dst []byte, id int64, method string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":`...)
	dst = appendString(dst, method)
	return append(dst, `,"params":`...)
}

// appendResponse appends the head of an answer to id, nil for null. The member is
// "result" or "error".
func appendResponse(dst, id []byte, member string) []byte {
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"`...)
	dst = append(dst, member...)
	return append(dst, `":`...)
}

// appendString appends s as a JSON string. s is a method name, which almost never needs
// an escape.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // encoding a string never fails
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
