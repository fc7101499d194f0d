package jsonrpc

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// maxID bounds an id, in bytes: it is kept while a request is in flight and sent back
// in the answer. The SDKs use UUIDs and integers.
const maxID = 1024

// message is the members of one body, each as its JSON. An absent member is nil; one
// that is cut off is empty.
type message struct {
	version, id, method, params, result, failure []byte
}

// scan finds the members of a body that may be cut off or broken, see [members]. If a
// member is repeated, the last one counts, as in encoding/json.
func scan(body []byte) (m message) {
	for name, value := range members(body) {
		switch string(name) {
		case "jsonrpc":
			m.version = value
		case "id":
			m.id = value
		case "method":
			m.method = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.failure = value
		}
	}
	return m
}

// parse reads a body. With an error it still returns the members that it could find.
func parse(body []byte) (message, *Error) {
	m := scan(body)
	switch {
	case !utf8.Valid(body):
		return m, errorf(ParseError, "body is not UTF-8")
	case !json.Valid(body):
		return m, errorf(ParseError, "body is not JSON: %v", syntaxError(body))
	}
	switch bytes.TrimLeft(body, " \t\r\n")[0] {
	case '{':
		return m, nil
	case '[':
		return m, errorf(InvalidRequest, "batches are not supported")
	}
	return m, errorf(InvalidRequest, "a message is an object")
}

// syntaxError says where a body stops being valid JSON.
func syntaxError(body []byte) error {
	var ignored json.RawMessage
	return json.Unmarshal(body, &ignored)
}

// isResponse reports whether m answers a request. It only looks at names, so it works
// for a message that is cut off.
func (m *message) isResponse() bool {
	return m.method == nil && (m.result != nil || m.failure != nil)
}

// request checks a message that names a method.
func (m *message) request() (*Request, *Error) {
	switch {
	case string(m.version) != `"2.0"`:
		return nil, errorf(InvalidRequest, `"jsonrpc" must be "2.0"`)
	case m.id != nil && !validID(m.id):
		return nil, errorf(InvalidRequest, "id must be a string or an integer of at most %d bytes", maxID)
	case m.method[0] != '"':
		return nil, errorf(InvalidRequest, "method must be a string")
	case !validParams(m.params):
		return nil, errorf(InvalidRequest, "params must be an object or an array")
	}
	req := &Request{Method: string(unquote(m.method)), id: m.id}
	if !isNull(m.params) {
		req.Params = m.params
	}
	return req, nil
}

// validID reports whether an answer can carry raw, which may come from a broken
// body, as its id.
func validID(raw []byte) bool {
	if len(raw) == 0 || len(raw) > maxID || !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	return raw[0] == '"' || isInteger(raw)
}

func isInteger(number []byte) bool { return len(bytes.Trim(number, "-0123456789")) == 0 }

func validParams(raw []byte) bool {
	return len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || isNull(raw)
}

func isNull(raw []byte) bool { return string(raw) == "null" }
