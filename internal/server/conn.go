package server

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// conn is one client.
type conn struct {
	srv       *Server
	rpc       *jsonrpc.Conn
	ctx       context.Context // ends with the connection
	connected atomic.Bool     // connect brought the right token
	remote    bool            // the client is on another machine
	relays    sync.WaitGroup  // the goroutines that write notifications

	waiting atomic.Int32 // reads of session.eventLog.read that wait

	large     chan struct{} // holds one for each large answer on its way
	interests atomic.Int64  // handles given out
	order     *ordering     // of the commands that take effect in order

	mu       sync.Mutex // guards the rest; never held across a call
	attached map[string]*attachment
}

func newConn(ctx context.Context, s *Server, rwc io.ReadWriteCloser) *conn {
	return &conn{
		srv: s, ctx: ctx, remote: elsewhere(rwc), order: newOrdering(),
		large: make(chan struct{}, largeAtOnce), attached: map[string]*attachment{},
	}
}

// largeAtOnce bounds the answers with pieces of a log in them. A client that asks
// and never reads holds so many in memory.
const largeAtOnce = 4

// attachment is a session that the client is in.
type attachment struct {
	client *session.Client
	pages  *eventlog.Pager    // of what it reads by itself
	stop   context.CancelFunc // ends its relay
}

// handle decides what a message is. It runs on the reading goroutine: what has to
// happen in order of arrival is noted here, the rest is in the returned work.
func (c *conn) handle(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
	m, ok := methods[req.Method]
	switch {
	case c.srv.opts.Token != "" && !c.connected.Load() && req.Method != "connect":
		return fail(&jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "AUTHENTICATION_FAILED: call connect with the connection token first"})
	case !ok && req.IsNotification():
		return nil
	case !ok:
		return fail(unhandled(req.Method))
	case !m.ordered:
		return func() (any, error) { return m.run(ctx, c, req.Params) }
	}
	id := sessionID(req.Params)
	command := c.order.add(id)
	return func() (any, error) {
		defer c.order.end(id, command)
		if err := command.wait(ctx); err != nil {
			return nil, err
		}
		return m.run(ctx, c, req.Params)
	}
}

func fail(err error) func() (any, error) {
	return func() (any, error) { return nil, err }
}

// unhandled answers a method that is not there. Clients branch on the code, and
// on the first words of the message.
func unhandled(method string) error {
	message := "Unhandled method " + method
	if why := lacking(method); why != "" {
		message += ": " + why
	}
	return &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: message}
}

// sessionID is the session that parameters are about, "" if they do not say.
func sessionID(params json.RawMessage) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p) // the method itself complains
	return p.SessionID
}

// attachment returns the client's place in the session of that id.
func (c *conn) attachment(id string) (*attachment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.attached[id]; a != nil {
		return a, nil
	}
	if id == "" {
		return nil, missing("sessionId")
	}
	return nil, wire.SessionNotFound(id)
}

// current returns the client's place in a session, nil if it has none.
func (c *conn) current(id string) *session.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.attached[id]; a != nil {
		return a.client
	}
	return nil
}

// attach notes the client's place in a session and starts to relay its events.
func (c *conn) attach(client *session.Client) {
	ctx, stop := context.WithCancel(c.ctx)
	a := &attachment{client: client, pages: client.Pages(), stop: stop}
	id := client.Session().ID()
	c.mu.Lock()
	if old := c.attached[id]; old != nil {
		old.stop()
	}
	c.attached[id] = a
	c.mu.Unlock()
	c.relays.Go(func() {
		defer stop()
		defer a.pages.Close()
		c.relayEvents(ctx, client)
		select {
		case <-client.Session().Closed():
			c.forget(id, a)
		case <-ctx.Done(): // it left the session, or detachAll will see to that
		}
	})
}

// forget drops an attachment if it is still the one for its session.
func (c *conn) forget(id string, a *attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.attached[id] == a {
		delete(c.attached, id)
	}
}

// take removes and returns the attachment to a session, nil if there is none.
func (c *conn) take(id string) *attachment {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.attached[id]
	delete(c.attached, id)
	return a
}

// detachWait bounds how long a client that has gone is waited with: its sessions
// only have to note it.
const detachWait = 10 * time.Second

// detachAll takes the client out of all its sessions.
func (c *conn) detachAll() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), detachWait)
	defer cancel()
	c.mu.Lock()
	all := c.attached
	c.attached = map[string]*attachment{}
	c.mu.Unlock()
	for id, a := range all {
		a.stop()
		a.pages.Close()
		if err := a.client.Detach(ctx); err != nil {
			c.srv.opts.Logger.Warn("a client was not detached cleanly", "session", id, "err", err)
		}
	}
}

// largeAnswer carries out a request whose answer may be large: nil if it came to
// nothing large. At most largeAtOnce of a client's are worked out, or wait to be
// read, at once; the others wait for those.
func (c *conn) largeAnswer(ctx context.Context, work func() (any, error)) (any, error) {
	select {
	case c.large <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	sent := func() { <-c.large }
	defer func() { // also if it panics
		if sent != nil {
			sent()
		}
	}()
	result, err := work()
	if result == nil || err != nil {
		return nil, err
	}
	a := jsonrpc.Answer{Result: result, Sent: sent}
	sent = nil
	return a, nil
}
