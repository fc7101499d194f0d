package app

import (
	"context"
	"net"

	"github.com/sidestick-dev/sidestick/internal/client"
)

// dial connects a client to the server over a pipe inside this process: all of
// the wire, without a socket. hangUp drops the connection without a goodbye, as
// a program that is killed does, and waits until the server has noticed.
func (p *parts) dial() (c *client.Client, hangUp func()) {
	near, far := net.Pipe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if err := p.server.Serve(context.Background(), far); err != nil {
			p.logs.Warn("the connection ended badly", "err", err)
		}
	}()
	c = client.New(near, client.Options{Logger: p.logs})
	return c, func() {
		_ = c.Close() // why it broke, if it did, its calls have said
		<-gone
	}
}
