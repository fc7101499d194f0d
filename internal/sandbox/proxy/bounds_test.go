package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
)

// A client that sends a byte now and then keeps its connection no longer than one that sends
// nothing.
func TestSlowHeads(t *testing.T) {
	for name, tc := range map[string]struct{ begin, want string }{
		"nothing": {"", ""},
		"HTTP":    {"GET http://a.example/ HTTP/1.1\r\nX: ", "HTTP/1.1 408 the head of the request did not arrive within 30 seconds"},
		"SOCKS5":  {hello + "\x05\x01\x00\x03\xff", helloBack},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, end := inMemory(t, newProxy(t, options(t, "*")))
				defer end()
				c := l.Dial()
				defer c.Close()
				begin := time.Now()
				stopped := make(chan struct{})
				go func() {
					defer close(stopped)
					_, err := io.WriteString(c, tc.begin)
					for err == nil && tc.begin != "" {
						time.Sleep(time.Second)
						_, err = io.WriteString(c, "x")
					}
				}()
				answer, _ := io.ReadAll(c)
				if took := time.Since(begin); took != headTime || !strings.HasPrefix(string(answer), tc.want) {
					t.Errorf("after %v: %q, want %q", took, answer, tc.want)
				}
				<-stopped
			})
		})
	}
}

// The connections beyond the bound wait until one ends.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, end := inMemory(t, newProxy(t, Options{Decide: permit.Rules{}.Connect}))
		defer end()
		var open []net.Conn
		for range mostConnections {
			open = append(open, l.Dial())
		}
		served := make(chan string)
		go func() {
			c := l.Dial()
			defer c.Close()
			go func() { _, _ = io.WriteString(c, "CONNECT a.example:443 HTTP/1.1\r\n\r\n") }()
			answer, _ := io.ReadAll(c)
			served <- string(answer)
		}()
		synctest.Wait()
		select {
		case answer := <-served:
			t.Fatalf("one more is served: %q", answer)
		default:
		}
		open[0].Close()
		if answer := <-served; !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
			t.Errorf("the answer is %q", answer)
		}
		for _, c := range open {
			c.Close()
		}
	})
}

// tunnel opens a tunnel between two ends in the memory of the bubble.
func tunnel() (near, far net.Conn, ended chan struct{}) {
	near, a := net.Pipe()
	b, far := net.Pipe()
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		newLink(a, b).both(a)
		a.Close()
		b.Close()
	}()
	return near, far, ended
}

// A tunnel ends when neither side sends anything; either side keeps it open for both.
func TestSilentTunnelsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far, ended := tunnel()
		begin := time.Now()
		for range 5 {
			time.Sleep(idleTime - time.Second)
			go func() { _, _ = io.WriteString(far, "x") }()
			expect(t, near, "x")
		}
		last := time.Since(begin)
		<-ended
		if took := time.Since(begin) - last; took != idleTime {
			t.Errorf("it ends after %v of silence, want %v", took, idleTime)
		}
		near.Close()
		far.Close()
	})
}

// A tunnel passes the end of one direction on, and the other one continues.
func TestTunnelsCloseInHalves(t *testing.T) {
	for _, first := range []string{"client", "server"} {
		t.Run(first, func(t *testing.T) {
			l := listen(t)
			c := open(t, onTCP(t, newProxy(t, options(t, "a.example"+portOf(l.Addr().String())))))
			write(t, c, "CONNECT a.example"+portOf(l.Addr().String())+" HTTP/1.1\r\n\r\nearly")
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer accepted.Close()
			_ = accepted.SetDeadline(time.Now().Add(patience))
			expect(t, accepted, "early")
			expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n")
			from, to := c, accepted.(*net.TCPConn)
			if first == "server" {
				from, to = to, from
			}
			write(t, from, "question")
			if err := from.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(to); err != nil || string(got) != "question" {
				t.Errorf("one direction: %q, %v", got, err)
			}
			write(t, to, "answer")
			if err := to.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(from); err != nil || string(got) != "answer" {
				t.Errorf("the other direction: %q, %v", got, err)
			}
		})
	}
}

// Serve ends with its context, although a tunnel is open and a head has not arrived.
func TestServeEndsItsConnections(t *testing.T) {
	o, l := listen(t), listen(t)
	p := newProxy(t, options(t, "a.example"+portOf(o.Addr().String())))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	c, silent := open(t, l.Addr().String()), open(t, l.Addr().String())
	write(t, silent, "GET ")
	write(t, c, "CONNECT a.example"+portOf(o.Addr().String())+" HTTP/1.1\r\n\r\n")
	expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n")
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the tunnel: %v", err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is still open")
	}
}

// While Serve ends, nothing is opened any more.
func TestNothingIsOpenedWhileServeEnds(t *testing.T) {
	o := listen(t)
	s := &server{Proxy: newProxy(t, options(t, "a.example"+portOf(o.Addr().String()))), conns: map[net.Conn]struct{}{}}
	s.closeAll()
	port := uint16(o.Addr().(*net.TCPAddr).Port)
	if _, f := s.connect(t.Context(), permit.Connection{Host: "a.example", Port: port}); f == nil || !strings.Contains(f.why, "closing") {
		t.Errorf("connect: %+v", f)
	}
	near, far := net.Pipe()
	defer far.Close()
	if s.add(near) {
		t.Error("a connection is served")
	}
	if _, err := near.Write(nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the connection is still open: %v", err)
	}
}

// A listener that fails ends Serve with an error.
func TestServeReportsItsListener(t *testing.T) {
	l := dialtest.NewListener()
	l.Close()
	err := newProxy(t, options(t, "")).Serve(t.Context(), l)
	if fault.KindOf(err) != fault.Unavailable || !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "started again") {
		t.Errorf("Serve: %v", err)
	}
}

// A panic ends its connection and no other.
func TestPanicsEndOneConnection(t *testing.T) {
	var log bytes.Buffer
	p := newProxy(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Decide: func(c permit.Connection) permit.Decision {
		if c.Port == 1 {
			panic("broken")
		}
		return permit.Decision{Why: "no"}
	}})
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	addr := l.Addr().String()
	if got := exchange(t, addr, "CONNECT a.example:1 HTTP/1.1\r\n\r\n"); got != "" {
		t.Errorf("the answer is %q", got)
	}
	if got := exchange(t, addr, "CONNECT a.example:2 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 403 ") {
		t.Errorf("the next answer is %q", got)
	}
	cancel()
	if err := <-ended; err != nil || !strings.Contains(log.String(), "panic: broken") {
		t.Errorf("Serve: %v; the log has %q", err, log.String())
	}
}

// crowded is a listener for which the process has no free descriptor at first.
type crowded struct {
	*dialtest.Listener
	failures int
}

func (c *crowded) Accept() (net.Conn, error) {
	if c.failures--; c.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return c.Listener.Accept()
}

// A process without a free descriptor does not end Serve.
func TestServeWaitsForDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &crowded{dialtest.NewListener(), 3}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- newProxy(t, Options{Decide: permit.Rules{}.Connect}).Serve(ctx, l) }()
		c := l.Dial()
		write(t, c, "GET / HTTP/1.1\r\n\r\n")
		expect(t, c, "HTTP/1.1 400 ")
		c.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}
