//go:build unix

package torture_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// patience is how long a client waits for an expected event.
const patience = 5 * time.Second

var (
	errGone = errors.New("the process is gone")
	errLate = errors.New("it did not come in time")
)

// told is an event as a client was told of it.
type told struct {
	wire.Event
	raw string
}

// client is one connection to the program. It speaks the wire itself, because it
// must know to the byte what it was told.
type client struct {
	conn *jsonrpc.Conn
	gone chan struct{} // closed when all that was sent before the end has been read

	mu   sync.Mutex // guards ears
	ears map[string]*ear
}

// dial connects a client. errGone if nobody answers.
func dial(addr string) (*client, error) {
	if addr == "" {
		return nil, errGone
	}
	sock, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, errGone
	}
	c := &client{gone: make(chan struct{}), ears: map[string]*ear{}}
	c.conn = jsonrpc.NewConn(sock, c.handle, jsonrpc.Options{})
	go func() {
		defer close(c.gone)
		_ = c.conn.Run(context.Background()) // why it ended, the process says
	}()
	if err := c.call("connect", map[string]any{}, nil); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// close hangs up and returns when everything that came has been read.
func (c *client) close() {
	_ = c.conn.Close()
	<-c.gone
}

// call calls a method. The errors are errGone, errLate, or the program's refusal.
func (c *client) call(method string, params map[string]any, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := c.conn.Call(ctx, method, params)
	if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		return err
	}
	switch {
	case err == nil && result == nil:
		return nil
	case err == nil:
		return json.Unmarshal(raw, result)
	case ctx.Err() != nil:
		return errLate
	case c.isGone() || errors.As(err, new(*net.OpError)): // a write can fail before the reader has seen the end
		return errGone
	}
	return err // what came cannot be read
}

// isGone says whether the connection has ended.
func (c *client) isGone() bool {
	select {
	case <-c.conn.Done():
		return true
	default:
		return false
	}
}

// refused says whether err is the program's answer, and not its end.
func refused(err error) bool {
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok
}

// handle notes events, in order. Questions of the program it answers by calls of its own, and not
// as the program's request.
func (c *client) handle(ctx context.Context, req *jsonrpc.Request) func() (any, error) {
	if strings.HasSuffix(req.Method, ".request") {
		return func() (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	}
	var p struct {
		SessionID string          `json:"sessionId"`
		Event     json.RawMessage `json:"event"`
	}
	if req.Method != "session.event" || json.Unmarshal(req.Params, &p) != nil {
		return nil
	}
	c.mu.Lock()
	ear := c.ears[p.SessionID]
	c.mu.Unlock()
	if ear != nil {
		ear.hear(newTold(p.Event))
	}
	return nil
}

// listen returns a new ear for a session. It hears events from the client's next create
// or resume on.
func (c *client) listen(session string) *ear {
	e := &ear{gone: c.gone, news: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ears[session] = e
	return e
}

// ear is what a client is told of a session while it is attached.
type ear struct {
	gone <-chan struct{}

	mu    sync.Mutex // guards the rest
	heard []told
	news  chan struct{} // closed at the next event
}

func (e *ear) hear(t told) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, t)
	close(e.news)
	e.news = make(chan struct{})
}

// all returns what was heard so far.
func (e *ear) all() []told {
	events, _ := e.now()
	return events
}

func (e *ear) now() ([]told, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[:len(e.heard):len(e.heard)], e.news
}

// at returns the i-th event, from 0, when it comes; else errGone or errLate.
func (e *ear) at(i int) (told, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		events, news := e.now()
		if i < len(events) {
			return events[i], nil
		}
		select {
		case <-news:
		case <-e.gone:
			if events := e.all(); i < len(events) {
				return events[i], nil
			}
			return told{}, errGone
		case <-limit.C:
			return told{}, errLate
		}
	}
}
