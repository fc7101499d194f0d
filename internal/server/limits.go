package server

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// What clients can make the server hold is bounded for all of them together; each has a share, see
// package quota. docs/protocol-wire.md#bounds-of-a-server has the numbers.
const (
	// allMemory bounds what [jsonrpc.Options].Memory counts, in bytes. Answers are encoded beside it, there is
	// garbage, and connections and sessions have memory of their own; with this much the whole stays below
	// 600 MB. The first client can have three quarters of it, in which the longest message (64 MiB, most of which
	// counts twice) fits while others hold up to 20 MB.
	allMemory = 192 << 20
	// ownMemory is what each connection may have of that in any case, in bytes: two requests and their refusals.
	ownMemory = 32 << 10
	// estimate is what a large answer counts until it is made and its size is known, in bytes.
	estimate = 4 << 20

	// maxConns bounds the connections, each of which takes some 50 KB; fewer if the process can have
	// fewer than four times as many files.
	maxConns = 1024
	// maxUnknown is how many clients may be connected at the same time that have not sent their token yet.
	maxUnknown = 64
	// maxFiles bounds the files of sessions, one each; fewer if the process can have fewer files.
	maxFiles = 16 << 10
)

// divided returns how many connections there can be, and how many files of sessions, if the process can
// have so many files. A quarter is left for everything else: commands, MCP servers, calls of models.
func divided(files int) (conns, sessions int) {
	conns = max(min(files/4, maxConns), 16)
	return conns, max(min(files-files/4-conns, maxFiles), 16)
}

// guests are the connections of a server, in the order in which they came.
type guests struct {
	max  int
	came atomic.Int64 // how many there have been

	mu  sync.Mutex
	all []*conn
}

// admit adds a connection. If there are too many, the one that has been silent longest, and that has no session and no
// request under way, has to go; if there is none, the new one is refused, with the reason. A new client has as long as it takes
// so many others to connect, and is safe with its first session.
func (g *guests) admit(c *conn, needsToken bool) error {
	gone, err := g.place(c, needsToken)
	for _, silent := range gone {
		silent.dismiss("it has no session and no request under way, has been silent longest, and others want to connect")
	}
	return err
}

// place is admit that only removes the connections that have to go from the list, and returns them.
func (g *guests) place(c *conn, needsToken bool) (gone []*conn, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.all) >= g.max && !g.release((*conn).idle, &gone) {
		return gone, fault.New(fault.Unavailable, "server.Serve", "", "%d clients are connected, which is the most, and each has a session or a request under way; try again", len(g.all))
	}
	if needsToken && g.strangers() >= maxUnknown && !g.release((*conn).isUnknown, &gone) {
		return gone, fault.New(fault.Unavailable, "server.Serve", "", "%d connections have not sent their token yet; try again", maxUnknown)
	}
	c.Came(g.came.Add(1))
	g.all = append(g.all, c)
	return gone, nil
}

// release moves the connection of a kind that has been silent longest to gone, and reports whether there is one. The
// caller holds the mutex.
func (g *guests) release(kind func(*conn) bool, gone *[]*conn) bool {
	silent, ok := quota.Silent(g.all, g.max, kind)
	if ok {
		g.all = slices.DeleteFunc(g.all, func(c *conn) bool { return c == silent })
		*gone = append(*gone, silent)
	}
	return ok
}

// strangers counts the clients that have not sent their token. The caller holds the mutex.
func (g *guests) strangers() (n int) {
	for _, c := range g.all {
		if c.isUnknown() {
			n++
		}
	}
	return n
}

func (g *guests) remove(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = slices.DeleteFunc(g.all, func(other *conn) bool { return other == c })
}

func (c *conn) isUnknown() bool { return !c.connected.Load() }

// Works implements [quota.Peer]: it reports whether the client has a session.
func (c *conn) Works() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.attached) > 0
}

// idle reports whether the client has neither a session nor a request under way.
func (c *conn) idle() bool {
	return !c.Works() && c.rpc.Idle()
}

// dismiss ends the connection and logs why.
func (c *conn) dismiss(why string) {
	c.srv.opts.Logger.Warn("a client was disconnected", "why", why)
	if err := fault.Guard("server.dismiss", c.rpc.Close); err != nil {
		c.srv.opts.Logger.Warn("its connection was not closed cleanly", "err", err)
	}
}

// farewellTime bounds how long a client that is refused may take to read why.
const farewellTime = time.Second

// refuseConn tells a client why it is refused, and closes the connection.
func refuseConn(rwc io.ReadWriteCloser, why error) error {
	if nc, ok := rwc.(net.Conn); ok {
		_ = nc.SetWriteDeadline(time.Now().Add(farewellTime)) // else it is closed at once
		_ = jsonrpc.Farewell(nc, jsonrpc.Headers(), &jsonrpc.Error{Code: jsonrpc.Overloaded, Message: fault.Message(why)})
	}
	_ = rwc.Close()
	return why
}

// holding is what a session of the client takes of the files, until it is given back once.
type holding struct {
	once  sync.Once
	files *quota.Share
}

func (h *holding) give() { h.once.Do(func() { h.files.Give(1) }) }

// departed are the sessions that their clients have left, but that have not left memory yet. It is safe for
// concurrent use.
type departed struct {
	mu   sync.Mutex
	all  []departure
	tidy int // with so many, those that have left memory are removed
}

// departure is one of them. It does not keep the session in memory.
type departure struct {
	closed <-chan struct{}
	files  *holding
}

func (d *departed) add(closed <-chan struct{}, files *holding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, departure{closed, files})
	if len(d.all) >= d.tidy {
		d.remove()
		d.tidy = 2*len(d.all) + 64
	}
}

// settle gives back the files of those that have left memory since.
func (d *departed) settle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove()
}

// remove is settle for a caller that holds the mutex.
func (d *departed) remove() {
	d.all = slices.DeleteFunc(d.all, func(one departure) bool {
		select {
		case <-one.closed:
			one.files.give()
			return true
		default:
			return false
		}
	})
}

// room takes the files of one more session, and reports whether there is room.
func (c *conn) room() bool {
	if c.files.Take(1) {
		return true
	}
	c.srv.departed.settle()
	return c.files.Take(1)
}

// hold counts the files of one more session of this client, or refuses it.
func (c *conn) hold() (*holding, error) {
	if !c.room() {
		pool := c.files.Pool()
		return nil, &jsonrpc.Error{Code: jsonrpc.Overloaded, Message: fault.New(fault.Unavailable, "", "",
			"there is no room for another session: this connection has %d open, and all together %d of %d; destroy or detach sessions that are not needed",
			c.files.Held(), pool.Used(), pool.Max()).Error()}
	}
	return &holding{files: c.files}, nil
}

// settle gives back the files of a session that the client has left, or has that done when they are needed, once it
// has left memory: it may go on with a run.
func (c *conn) settle(a *attachment) { c.srv.departed.add(a.client.Session().Closed(), a.files) }

// reserve counts the estimate of an answer that is about to be made, or refuses it.
func (c *conn) reserve() (free func(), err error) {
	if !c.memory.Take(estimate) {
		pool := c.memory.Pool()
		return nil, &jsonrpc.Error{Code: jsonrpc.Overloaded, Message: fault.New(fault.Unavailable, "", "",
			"there is no room for a large answer: this connection holds %d bytes, and all together %d of %d; read the answers that wait, and try again",
			c.memory.Held(), pool.Used(), pool.Max()).Error()}
	}
	return func() { c.memory.Give(estimate) }, nil
}

// measured is a list whose answer may be large, although its request is small.
func measured[P any](f func(context.Context, *conn, P) (any, error)) func(context.Context, *conn, P) (any, error) {
	return func(ctx context.Context, c *conn, p P) (any, error) {
		return c.largeAnswer(ctx, func() (any, error) {
			value, err := f(ctx, c, p)
			if err != nil {
				return nil, err
			}
			return encode(value)
		})
	}
}
