package app

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/client"
)

// dial connects a client to the server over a pipe inside this process: all of
// the wire, without a socket. hangUp drops the connection without a goodbye, as
// a program that is killed does, and waits until the server has noticed.
func (p *parts) dial() (c *client.Client, hangUp func()) {
	near, far := net.Pipe()
	gone := make(chan struct{})
	var hungUp atomic.Bool
	go func() {
		defer close(gone)
		// Of a write that was under way when we hung up it says that the pipe is closed.
		if err := p.server.Serve(context.Background(), far); err != nil && !hungUp.Load() {
			p.logs.Warn("the connection ended badly", "err", err)
		}
	}()
	c = client.New(near, client.Options{Logger: p.logs})
	return c, func() {
		hungUp.Store(true)
		_ = c.Close() // why it broke, if it did, its calls have said
		<-gone
	}
}
