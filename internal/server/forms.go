package server

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// The forms of methods, for functions whose last parameter has any type. There are some 300
// methods and 130 types. The forms keep the function as an any, and are not copied into the
// table, so that the program has no description of a closure for each: 200 KB, which every
// start would read.

// on returns a method that calls a function of the connection.
//
//go:noinline
func on[P any](f func(ctx context.Context, c *conn, p P) (any, error)) method {
	function := any(f)
	return method{params: reflect.TypeFor[P](), run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := decodeFor[P](c, params)
		if err != nil {
			return nil, err
		}
		return function.(func(context.Context, *conn, P) (any, error))(ctx, c, p)
	}}
}

// of returns a method that calls a function of a session that the client is attached
// to.
//
//go:noinline
func of[P any](f func(ctx context.Context, s *session.Session, p P) (any, error)) method {
	function := any(f)
	return method{params: reflect.TypeFor[P](), run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, a, err := attachedWith[P](c, params)
		if err != nil {
			return nil, err
		}
		return function.(func(context.Context, *session.Session, P) (any, error))(a.client.Answering(ctx), a.client.Session(), p)
	}}
}

// in returns a method that calls a function of the client's attachment to a session.
//
//go:noinline
func in[P any](f func(ctx context.Context, c *conn, a *attachment, p P) (any, error)) method {
	function := any(f)
	return method{params: reflect.TypeFor[P](), run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, a, err := attachedWith[P](c, params)
		if err != nil {
			return nil, err
		}
		return function.(func(context.Context, *conn, *attachment, P) (any, error))(ctx, c, a, p)
	}}
}

// attachedWith returns the parameters of a call, and the client's attachment to the session
// that they name.
func attachedWith[P any](c *conn, params json.RawMessage) (p P, a *attachment, err error) {
	if p, err = decodeFor[P](c, params); err == nil {
		a, err = c.attachment(sessionID(params))
	}
	return p, a, err
}

// inOrderOfRequest is inOrder for methods that are about one request of the server, and of no
// session.
func inOrderOfRequest(m method) method {
	m.ordered, m.byRequest = true, true
	return m
}

// entering returns a method that attaches the client to a session.
func entering(m method) method {
	m.enters = true
	return m
}

// first returns a method that is carried out before the next message is read.
func first(m method) method {
	m.first = true
	return m
}

func inOrder(m method) method {
	m.ordered = true
	return m
}

// asking is inOrder for a method that may ask a client: it keeps no later command waiting for the answer.
func asking(m method) method {
	m.ordered, m.asks = true, true
	return m
}

// unless returns a method that is ordered, but for calls that wait for a run.
func unless(waits func(params json.RawMessage) bool, m method) method {
	m.ordered, m.waits = true, waits
	return m
}

// always is for methods of which every call waits.
func always(json.RawMessage) bool { return true }

// polling returns a method whose calls may wait for something that is yet to happen.
func polling(waits func(params json.RawMessage) bool, m method) method {
	m.waits = waits
	return m
}
