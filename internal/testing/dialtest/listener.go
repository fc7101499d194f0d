// Package dialtest has a network listener in memory, for tests of servers, and names that change
// what they stand for ([Names]), for tests of clients. The connections of the listener belong to the
// synctest bubble that makes them, so their time can be fake.
package dialtest

import (
	"net"
	"sync"
)

// Listener accepts the connections that [Listener.Dial] makes. It is safe for concurrent
// use.
type Listener struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewListener returns an open listener.
func NewListener() *Listener {
	return &Listener{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial returns the client's end of a new connection. It waits until the server accepts
// the other end.
func (l *Listener) Dial() net.Conn {
	client, server := net.Pipe()
	l.dialed <- server
	return client
}

// Accept implements [net.Listener]. After Close the error is [net.ErrClosed].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements [net.Listener].
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }
