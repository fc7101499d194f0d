package jsonrpc

import (
	"encoding/json"
	"fmt"
)

// Codes this package sends. The first five are JSON-RPC's own, RequestCancelled
// is the Language Server Protocol's, Overloaded is from the range JSON-RPC leaves
// to servers.
const (
	ParseError       = -32700 // the body is not JSON
	InvalidRequest   = -32600 // JSON, but not a valid message
	MethodNotFound   = -32601 // for handlers; some SDKs branch on it
	InvalidParams    = -32602 // for handlers
	InternalError    = -32603 // the handler failed
	RequestCancelled = -32800 // the peer cancelled it, or the connection ended
	Overloaded       = -32000 // too many requests in flight, or no memory for this one; try again later
)

// Error is an error as the wire carries it: a [Handler] may return one, and [Conn.Call]
// returns one if the peer refused.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // nil: none
}

// Error returns the message followed by its code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

func errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// errorOf is the default of [Options].ErrorOf. It does not unwrap: the code of a
// wrapped error came from another peer and means nothing to this one.
func errorOf(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Code: InternalError, Message: err.Error()}
}
