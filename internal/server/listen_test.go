package server_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"
)

// door is a listener in memory.
type door struct {
	come   chan net.Conn
	fails  int // how often Accept fails first
	closed chan struct{}
	once   sync.Once
}

func newDoor(fails int) *door {
	return &door{come: make(chan net.Conn), fails: fails, closed: make(chan struct{})}
}

func (d *door) Accept() (net.Conn, error) {
	if d.fails > 0 {
		d.fails--
		return nil, errors.New("too many open files")
	}
	select {
	case c := <-d.come:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *door) Addr() net.Addr { return &net.UnixAddr{Name: "door"} }

func (d *door) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

// enter connects a client through the door.
func (p *process) enter(d *door) *peer {
	near, far := net.Pipe()
	d.come <- far
	c := &peer{p: p, conn: near, told: make(chan struct{}, 1)}
	c.listen()
	return c
}

func TestListenServesManyUntilItsContextEnds(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		ctx, stop := context.WithCancel(p.ctx)
		d, ended := newDoor(0), make(chan error)
		go func() { ended <- p.server.Listen(ctx, d) }()
		a, b := p.enter(d), p.enter(d)
		a.call("session.create", `{"sessionId":"s1"}`)
		b.call("session.resume", `{"sessionId":"s1"}`)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Listen = %v, want nil after its context ended", err)
		}
		<-d.closed
	})
}

func TestListenReturnsWhenItsListenerIsClosed(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		d := newDoor(0)
		_ = d.Close()
		if err := p.server.Listen(p.ctx, d); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Listen = %v, want that the listener is closed", err)
		}
	})
}

// A process without free file descriptors must not retry in a busy loop.
func TestListenWaitsBetweenFailures(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		ctx, stop := context.WithCancel(p.ctx)
		d, ended := newDoor(12), make(chan error)
		begin := time.Now()
		go func() { ended <- p.server.Listen(ctx, d) }()
		p.enter(d).call("ping", `{}`)
		// 5 ms, doubled each time, and a second from the ninth on.
		if took, want := time.Since(begin), 1275*time.Millisecond+4*time.Second; took != want {
			t.Errorf("12 failures took %v, want %v", took, want)
		}
		stop()
		<-ended
	})
}
