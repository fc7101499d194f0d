package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// on returns a method that calls a function of the connection.
func on[P any](f func(ctx context.Context, c *conn, p P) (any, error)) method {
	return method{run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, c, p)
	}}
}

// of returns a method that calls a function of a session that the client is attached
// to.
func of[P any](f func(ctx context.Context, s *session.Session, p P) (any, error)) method {
	return in(func(ctx context.Context, _ *conn, a *attachment, p P) (any, error) {
		return f(ctx, a.client.Session(), p)
	})
}

// in returns a method that calls a function of the client's attachment to a session.
func in[P any](f func(ctx context.Context, c *conn, a *attachment, p P) (any, error)) method {
	return method{run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		a, err := c.attachment(sessionID(params))
		if err != nil {
			return nil, err
		}
		return f(ctx, c, a, p)
	}}
}

// inOrderOfRequest is inOrder for methods that are about one request of the server, and of no
// session.
func inOrderOfRequest(m method) method {
	m.ordered, m.byRequest = true, true
	return m
}

func inOrder(m method) method {
	m.ordered = true
	return m
}

// unless returns a method that is ordered, but for calls that wait for a run.
func unless(waits func(params json.RawMessage) bool, m method) method {
	m.ordered, m.waits = true, waits
	return m
}
