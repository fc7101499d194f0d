// Package client is a small client of the Sidestick wire, for the command demo and for
// tests. Other programs use an official Copilot SDK.
//
// A [Client] is one connection to a runtime, a [Session] one conversation on it:
//
//	c := client.New(rwc, client.Options{})
//	defer c.Close()
//	err := c.Connect(ctx, token)
//	s, err := c.CreateSession(ctx, client.Config{Tools: tools, Permit: ask})
//	_, err = s.Send(ctx, "hello")
//	err = s.Wait(ctx, func(e wire.Event) { ... })
//
// The events of a session collect in a queue of 4,096, in order, from its first event until
// [Session.Detach]. If the queue overflows, the session's further events are lost, and
// [Session.Next] returns an error; other sessions are not delayed. Tool calls and permission
// requests are handled immediately, each on its own goroutine, even if the caller does not
// read the events.
//
// Errors: an [*jsonrpc.Error] is the runtime's refusal; every other error is a
// [*fault.Error], of kind Unavailable once the connection has ended.
package client

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Options configures [New]. The zero value is right.
type Options struct {
	// Logger is that of [jsonrpc.Options]; it also gets events that cannot be read.
	// Default: they are dropped.
	Logger *slog.Logger
	// Asked answers the runtime's own requests, such as hooks.invoke and
	// userInput.request, each on its own goroutine. ctx ends when the runtime cancels
	// the request. Nil: every request is refused as an unknown method.
	Asked func(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// Client is one connection to a runtime. It is safe for concurrent use.
type Client struct {
	conn    *jsonrpc.Conn
	log     *slog.Logger
	asked   func(context.Context, string, json.RawMessage) (any, error)
	running sync.WaitGroup // conn.Run; Close waits

	mu       sync.Mutex // guards the rest
	sessions map[string]*Session
	err      error // of conn.Run
}

// New returns a client over rwc, takes ownership of rwc, and begins to read it.
// [Client.Close] must follow.
func New(rwc io.ReadWriteCloser, opts Options) *Client {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{log: opts.Logger, asked: opts.Asked, sessions: make(map[string]*Session)}
	c.conn = jsonrpc.NewConn(rwc, c.handle, jsonrpc.Options{Logger: opts.Logger})
	c.running.Go(func() {
		err := fault.Guard("client", func() error { return c.conn.Run(context.Background()) })
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
	})
	return c
}

// Close ends the connection and waits for tools and permission handlers, whose
// contexts end; so none of them may call it. It returns nil, or why the connection
// had broken before. The runtime keeps the sessions.
func (c *Client) Close() error {
	_ = c.conn.Close()
	c.running.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Done is closed when the connection has begun to end, for any reason.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Connect does the handshake. It is the first call on a connection. An empty token is
// left out; a runtime that wants one answers AUTHENTICATION_FAILED. A runtime of
// another protocol version is [fault.Invalid].
func (c *Client) Connect(ctx context.Context, token string) error {
	params := map[string]any{}
	if token != "" {
		params["token"] = token
	}
	var hello struct {
		ProtocolVersion int `json:"protocolVersion"`
	}
	if err := c.Call(ctx, "connect", params, &hello); err != nil {
		return err
	}
	if hello.ProtocolVersion != wire.ProtocolVersion {
		return fault.New(fault.Invalid, "client.Connect", "", "runtime speaks protocol version %d, not %d",
			hello.ProtocolVersion, wire.ProtocolVersion)
	}
	return nil
}

// Call calls any method of the runtime. Nil params are {}; the result is decoded
// into result unless that is nil. When ctx ends, the runtime cancels the call.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	raw, err := c.conn.Call(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fault.New(fault.Internal, "client.Call", method, "result: %w", fault.JSON(err))
	}
	return nil
}

// handle handles a message of the runtime.
func (c *Client) handle(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
	if !req.IsNotification() {
		return func() (any, error) {
			if c.asked != nil {
				return c.asked(ctx, req.Method, req.Params)
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "unhandled method " + req.Method}
		}
	}
	if req.Method != "session.event" {
		return nil // session.lifecycle, telemetry
	}
	var params struct {
		SessionID string          `json:"sessionId"`
		Event     json.RawMessage `json:"event"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		c.log.Warn("notification cannot be read", "method", req.Method, "err", fault.JSON(err))
		return nil
	}
	s := c.session(params.SessionID)
	if s == nil {
		return nil
	}
	e, err := wire.ParseEvent(params.Event)
	if err != nil {
		c.log.Warn("event cannot be read", "session", s.ID, "err", err)
		return nil
	}
	return s.take(ctx, e)
}

func (c *Client) session(id string) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}
