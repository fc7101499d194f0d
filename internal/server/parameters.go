package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// argument returns the parameters of a call, nil if it has none: a list without elements, or with nothing but
// null in it, is what JSON-RPC libraries send for a call without an argument.
func argument(params json.RawMessage) json.RawMessage {
	if len(params) == 0 || params[0] != '[' {
		return params
	}
	for v := range wire.Raw(params).Elements() {
		if string(v) != "null" {
			return params
		}
	}
	return nil
}

// decode reads parameters. Unknown fields are ignored, as the protocol demands;
// absent parameters are an empty object.
//
// It leaves the work to read, because the compiler makes one decode for each of the many types
// of parameters.
func decode[P any](params json.RawMessage) (p P, err error) {
	read, err := read(params, reflect.TypeFor[P]())
	if err != nil {
		return p, err
	}
	return *read.(*P), nil
}

// decodeFor is decode for a call of a client. Long parameters wait for their turn.
func decodeFor[P any](c *conn, params json.RawMessage) (p P, err error) {
	defer c.srv.turns.Long(len(params))()
	return decode[P](params)
}

// read reads parameters into a new struct of type t, and returns the pointer to it.
func read(params json.RawMessage, t reflect.Type) (any, error) {
	p := reflect.New(t).Interface()
	if len(bytes.TrimSpace(params)) == 0 {
		return p, nil
	}
	if err := tooMany(params); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(params, p); err != nil {
		return nil, fault.New(fault.Invalid, "", "", "invalid parameters: %s", misfit(params, t, err))
	}
	return p, nil
}

// maxElements bounds the elements of a parameter that is a list. Each may become a struct of a
// kilobyte, although it has one byte on the wire.
const maxElements = 10_000

// tooMany refuses parameters of which one is a list of more than [maxElements].
func tooMany(params json.RawMessage) error {
	if len(params) <= 2*maxElements { // an element and its comma
		return nil
	}
	for name, value := range wire.Raw(params).Members() {
		n := 0
		for range value.Elements() {
			if n++; n > maxElements {
				return fault.New(fault.Invalid, "", "", "invalid parameters: %q has more than %d elements; send fewer", fault.Bounded(string(name)), maxElements)
			}
		}
	}
	return nil
}

// maxTried is how many fields of wrong parameters are tried one by one, which takes a new struct each.
const maxTried = 1000

// misfit returns which parameter does not fit into a struct of type t, and why, after decoding
// all of them failed with err. It tries them one by one, because types that decode themselves
// do not know their name.
func misfit(params json.RawMessage, t reflect.Type, err error) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return "they are not one JSON object"
	}
	if len(fields) > maxTried {
		return fault.JSON(err).Error()
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		alone := append(append(wire.AppendString([]byte("{"), name), ':'), fields[name]...)
		var kind *json.UnmarshalTypeError
		switch err := json.Unmarshal(append(alone, '}'), reflect.New(t).Interface()); {
		case err == nil:
		case errors.As(err, &kind):
			kind.Field = path(name, kind.Field)
			return fault.JSON(kind).Error()
		case strings.Contains(err.Error(), "union variant"): // of the SDK, which names a type of Go
			return name + " has none of the types that the protocol allows for it"
		default:
			return fmt.Sprintf("%s cannot be read: %v", name, fault.JSON(err))
		}
	}
	return fault.JSON(err).Error()
}

// path returns the path to a value in a parameter; field is the path in the whole or,
// in types that decode themselves, in the parameter.
func path(parameter, field string) string {
	first, inner, _ := strings.Cut(field, ".")
	second, _, _ := strings.Cut(inner, ".")
	switch {
	case strings.EqualFold(second, parameter): // it is in an embedded struct, whose name is no part of the protocol
		return inner
	case field == "":
		return parameter
	case strings.EqualFold(first, parameter):
		return field
	}
	return parameter + "." + field
}

// missing returns the error for a required parameter that is absent or empty.
func missing(name string) error {
	return fault.New(fault.Invalid, "", "", "%s is missing", name)
}

// encode returns a value of package wire as a result.
func encode(v any) (any, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return nil, fault.New(fault.Internal, "server", "", "encoding a result: %w", err)
	}
	return json.RawMessage(b), nil
}

// codes maps faults to JSON-RPC codes; no other place does. Clients branch on -32601
// only, which is not a fault but a method that does not exist; the other codes are for
// logs.
var codes = lazy.Value[map[fault.Kind]int]{Make: func() map[fault.Kind]int {
	return map[fault.Kind]int{
		fault.Internal:    jsonrpc.InternalError,
		fault.Invalid:     jsonrpc.InvalidParams,
		fault.NotFound:    -32001,
		fault.Conflict:    -32002,
		fault.Denied:      -32003,
		fault.Unavailable: -32004,
		fault.Canceled:    jsonrpc.RequestCancelled,
	}
}}

// failure is the error of a method that a client has called.
type failure struct {
	method string
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// call carries a method out for a client. An error remembers the method, for errorOf.
func (m method) call(ctx context.Context, c *conn, req *jsonrpc.Request) (any, error) {
	unread, err := m.heed(ctx, c, req.Method, req.Params)
	if err != nil {
		return nil, &failure{req.Method, err}
	}
	result, err := m.run(ctx, c, req.Params)
	if err != nil {
		return result, &failure{req.Method, err}
	}
	return c.answer(req.Method, result, unread), nil
}

// errorOf returns an error as the client reads it: its text names the method that the client
// has called, no function of this program, and no secret.
func (c *conn) errorOf(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e
	}
	method := ""
	var f *failure
	if errors.As(err, &f) {
		method = f.method
	}
	return &jsonrpc.Error{Code: codes.Get()[fault.KindOf(err)], Message: c.redact(fault.ForClient(err, method))}
}
