package server_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// failingListener is a listener whose Accept fails a few times first.
type failingListener struct {
	*dialtest.Listener
	fails int
}

func newListener(fails int) *failingListener { return &failingListener{dialtest.NewListener(), fails} }

func (d *failingListener) Accept() (net.Conn, error) {
	if d.fails > 0 {
		d.fails--
		return nil, errors.New("too many open files")
	}
	return d.Listener.Accept()
}

// enter connects a client.
func (p *process) enter(d *failingListener) *peer {
	c := &peer{p: p, conn: d.Dial(), told: make(chan struct{}, 1)}
	c.listen()
	return c
}

func TestListenServesManyUntilItsContextEnds(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		ctx, stop := context.WithCancel(p.ctx)
		d, ended := newListener(0), make(chan error)
		go func() { ended <- p.server.Listen(ctx, d, wire.ProtocolVersion) }()
		a, b := p.enter(d), p.enter(d)
		a.call("session.create", `{"sessionId":"s1"}`)
		b.call("session.resume", `{"sessionId":"s1"}`)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Listen = %v, want nil after its context ended", err)
		}
		if _, err := d.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept = %v afterwards, want that the listener is closed", err)
		}
	})
}

func TestListenReturnsWhenItsListenerIsClosed(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		d := newListener(0)
		_ = d.Close()
		if err := p.server.Listen(p.ctx, d, wire.ProtocolVersion); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Listen = %v, want that the listener is closed", err)
		}
	})
}

// A process without free file descriptors must not retry in a busy loop.
func TestListenWaitsBetweenFailures(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		ctx, stop := context.WithCancel(p.ctx)
		d, ended := newListener(12), make(chan error)
		begin := time.Now()
		go func() { ended <- p.server.Listen(ctx, d, wire.ProtocolVersion) }()
		p.enter(d).call("ping", `{}`)
		// 5 ms, doubled each time, and a second from the ninth on.
		if took, want := time.Since(begin), 1275*time.Millisecond+4*time.Second; took != want {
			t.Errorf("12 failures took %v, want %v", took, want)
		}
		stop()
		<-ended
	})
}
