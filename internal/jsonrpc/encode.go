package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encode returns v as the value of a member, empty for a nil v. The bytes of a raw
// message are passed on unread: who sends them vouches for them.
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
	enc.SetEscapeHTML(false) // no frame is part of a page
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// A frame we send is a head, one value, and a brace. These are the heads.

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

// appendResponse begins an answer to id, nil for null. The member is "result" or
// "error".
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

// appendString quotes s, which is a method name and as good as always plain.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string always has a JSON form
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
