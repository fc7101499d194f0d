package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

// guests are the connections of a door, in the order in which they came.
type guests struct {
	max  int
	came atomic.Int64 // how many there have been

	mu  sync.Mutex // guards the rest; never held across a call
	all []*guest
}

// guest is one connection.
type guest struct {
	quota.Signs
	conn net.Conn
	held atomic.Bool // it has a request that has shown the token, or that is being answered
}

// Works implements [quota.Peer].
func (g *guest) Works() bool { return g.held.Load() }

func (g *guest) mayGo() bool { return !g.Works() }

// guestKey is the key of a request's connection in its context.
type guestKey struct{}

// admit implements [http.Server].ConnContext: it adds a connection. If there are too many, the one that has been silent
// longest and that has neither shown the token nor sent a whole request has to go; if there is none, the new one is refused.
func (gs *guests) admit(ctx context.Context, conn net.Conn) context.Context {
	g := &guest{conn: conn}
	gone := gs.place(g)
	if gone == g {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // else it is closed at once
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: "+retryAfter+"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	}
	if gone != nil {
		_ = gone.conn.Close() // the server notices, and so does the client
	}
	return context.WithValue(ctx, guestKey{}, g)
}

// place adds a connection and returns the one that has to go, nil for none.
func (gs *guests) place(g *guest) (gone *guest) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if len(gs.all) >= gs.max {
		var ok bool
		if gone, ok = quota.Silent(gs.all, gs.max, (*guest).mayGo); !ok {
			return g
		}
		gs.all = slices.DeleteFunc(gs.all, func(one *guest) bool { return one == gone })
	}
	g.Came(gs.came.Add(1))
	gs.all = append(gs.all, g)
	return gone
}

// changed implements [http.Server].ConnState.
func (gs *guests) changed(conn net.Conn, now http.ConnState) {
	if now != http.StateClosed {
		return
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	gs.all = slices.DeleteFunc(gs.all, func(g *guest) bool { return g.conn == conn })
}

// asks notes a request of the connection that ctx belongs to. When it has been answered, done must be called.
func (gs *guests) asks(ctx context.Context) (done func()) {
	g, ok := ctx.Value(guestKey{}).(*guest)
	if !ok { // a test without a listener
		return func() {}
	}
	g.Sent(gs.came.Load())
	return func() { g.held.Store(false) }
}

// hold keeps the connection that ctx belongs to until its request has been answered, whoever else wants to connect.
func hold(ctx context.Context) {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		g.held.Store(true)
	}
}
