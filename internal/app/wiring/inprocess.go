package wiring

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Dial connects a client to the server over a pipe inside this process. The client
// speaks the whole protocol, without a socket. hangUp drops the connection without
// notice, as a killed program does, and waits until the server has noticed.
func (p *Parts) Dial() (c *client.Client, hangUp func()) {
	near, far := net.Pipe()
	served := make(chan struct{})
	var hungUp atomic.Bool
	go func() {
		defer close(served)
		// A write that was under way when we hung up fails with a closed pipe.
		err := fault.Guard("wiring.Dial", func() error { return p.Server.Serve(context.Background(), far) })
		if err != nil && !hungUp.Load() {
			p.Logs.Warn("the connection failed", "err", err)
		}
	}()
	c = client.New(near, client.Options{Logger: p.Logs})
	return c, func() {
		hungUp.Store(true)
		_ = c.Close() // its calls have reported why it broke, if it did
		<-served
	}
}
