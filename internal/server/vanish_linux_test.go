package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// caught is a listener that exposes the connections that it has accepted.
type caught struct {
	net.Listener
	accepted chan *net.TCPConn
}

func (c caught) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	if tc, ok := nc.(*net.TCPConn); ok {
		c.accepted <- tc
	}
	return nc, err
}

// dialled returns a listener on the loopback interface and a client of it.
func dialled(t *testing.T) (caught, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return caught{l, make(chan *net.TCPConn, 1)}, client
}

func option(t *testing.T, nc *net.TCPConn, level, name int) (value int) {
	t.Helper()
	raw, err := nc.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// The system probes a silent client and notices after a minute that it is dead. A
// client that only does not read is not disconnected.
func TestTheSystemIsToldToAskForClients(t *testing.T) {
	l, client := dialled(t)
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	s := server.New(server.Options{Gate: gate.One("", &server.Home{Sessions: registry.New(registry.Options{})})})
	serving.Go(func() { _ = s.Listen(ctx, l, wire.ProtocolVersion) })
	if _, err := client.Write([]byte("Content-Length: 2\r\n\r\n[]")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 1)); err != nil { // the refusal: it is being served
		t.Fatal(err)
	}
	nc := <-l.accepted
	const keepIdle, keepInterval, keepCount, userTimeout = 4, 5, 6, 18 // as linux/tcp.h has them
	for _, o := range []struct {
		what              string
		level, name, want int
	}{
		{"SO_KEEPALIVE", syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1},
		{"TCP_KEEPIDLE", syscall.IPPROTO_TCP, keepIdle, 30},
		{"TCP_KEEPINTVL", syscall.IPPROTO_TCP, keepInterval, 10},
		{"TCP_KEEPCNT", syscall.IPPROTO_TCP, keepCount, 3},
		{"TCP_USER_TIMEOUT", syscall.IPPROTO_TCP, userTimeout, 0},
	} {
		if got := option(t, nc, o.level, o.name); got != o.want {
			t.Errorf("%s is %d, want %d", o.what, got, o.want)
		}
	}
}

// A client that ends while something is on its way to it resets the connection. That is an end like any other, and
// nothing of it is logged.
func TestAResetIsNoNews(t *testing.T) {
	l, client := dialled(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log bytes.Buffer
	s := server.New(server.Options{
		Gate:   gate.One("", &server.Home{Sessions: registry.New(registry.Options{})}),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Listen(ctx, l, wire.ProtocolVersion) })
	for _, request := range []string{`{"jsonrpc":"2.0","id":1,"method":"connect"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`} {
		if _, err := fmt.Fprintf(client, "Content-Length: %d\r\n\r\n%s", len(request), request); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.(*net.TCPConn).SetLinger(0); err != nil { // to reset it for sure
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	for nc := <-l.accepted; nc.SetDeadline(time.Time{}) == nil; { // until the server has closed it
		time.Sleep(time.Millisecond)
	}
	stop()
	serving.Wait()
	if log.Len() > 0 {
		t.Errorf("logged:\n%s", &log)
	}
}

// A client that lives and does not read acknowledges all data that was sent: data that
// it has no room for is not sent.
func TestWhoDoesNotReadIsNotSilent(t *testing.T) {
	l, _ := dialled(t)
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for err = nil; err == nil; {
		_ = nc.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		_, err = nc.Write(make([]byte, 1<<20))
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("writing ended with %v, want that there is no room", err)
	}
	if silence := server.Unacknowledged(nc.(*net.TCPConn)); silence != 0 {
		t.Errorf("something has waited for %v to be acknowledged", silence)
	}
}
