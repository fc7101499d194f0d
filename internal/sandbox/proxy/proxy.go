package proxy

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/dial"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The bounds of the proxy. Programs in the sandbox may be hostile.
const (
	// mostConnections are served at once; further ones wait in the listener's queue. npm,
	// which opens the most of the usual programs, needs about 50.
	mostConnections = 128
	// maxHead bounds the head of an HTTP request, in bytes. Servers commonly take 8 to 16 KiB.
	maxHead = 16 << 10
	// headTime bounds the time from the first byte to the end of the request's head.
	headTime = 30 * time.Second
	// dialTime bounds looking a name up and connecting, over all its addresses together.
	dialTime = 15 * time.Second
	// idleTime ends a connection on which neither side has sent anything.
	idleTime = 5 * time.Minute
	// lingerTime is how long the client may still send after it got its answer.
	lingerTime = time.Second
)

// Options configures [New].
type Options struct {
	// Decide decides about a connection; [permit.Allow] opens it, and everything else refuses
	// it. It is called for each connection, so a change of rules holds from the next one on,
	// and by several goroutines at once. Required.
	Decide func(permit.Connection) permit.Decision
	// AllowLocalNetwork lets commands reach this machine, private networks and metadata
	// services, where Decide allows the host.
	AllowLocalNetwork bool
	// Upstream is the proxy through which the user's network reaches the internet, http or
	// https. Its user name and password are sent to it and never shown. Default: none.
	Upstream *url.URL
	// Logger gets panics of this package. Default [slog.Default].
	Logger *slog.Logger
}

// Proxy serves the listener of a sandbox. It is safe for concurrent use.
type Proxy struct {
	decide    func(permit.Connection) permit.Decision
	connector dial.Connector
	upstream  *upstream // nil: none
	log       *slog.Logger
	refused   refusals
}

// New returns a proxy. The error is [fault.Invalid] for an upstream that is not supported.
func New(o Options) (*Proxy, error) {
	p := &Proxy{decide: o.Decide, connector: dial.Connector{Private: o.AllowLocalNetwork}, log: o.Logger}
	if p.decide == nil {
		return nil, fault.New(fault.Internal, "proxy.New", "", "Decide is missing")
	}
	if p.log == nil {
		p.log = slog.Default()
	}
	var err error
	if o.Upstream != nil {
		p.upstream, err = newUpstream(o.Upstream)
	}
	return p, err
}

// Serve serves the connections of l until ctx ends, and then returns nil. It returns after l
// and all connections are closed and their goroutines have ended. The error is
// [fault.Unavailable] if l fails before.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{Proxy: p, conns: map[net.Conn]struct{}{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		<-ctx.Done()
		_ = l.Close()
		s.closeAll()
	})
	err := s.accept(ctx, l, &wg)
	ended := ctx.Err() != nil
	cancel()
	wg.Wait()
	if ended {
		return nil
	}
	return &fault.Error{
		Op: "proxy.Serve", On: l.Addr().String(), Kind: fault.Unavailable, Err: err,
		Hint: "the sandbox has no network until it is started again",
	}
}

// server is one call of [Proxy.Serve].
type server struct {
	*Proxy

	mu     sync.Mutex // guards the rest
	conns  map[net.Conn]struct{}
	closed bool
}

// accept starts a goroutine for each connection, until ctx or the listener ends.
func (s *server) accept(ctx context.Context, l net.Listener, wg *sync.WaitGroup) error {
	slots := make(chan struct{}, mostConnections)
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		c, err := acceptOne(ctx, l)
		if err != nil {
			return err
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := fault.Guard("proxy.Serve", func() error { s.handle(ctx, c); return nil }); err != nil {
				s.log.Error("a connection of the sandbox's proxy failed", "error", err)
			}
		})
	}
}

// acceptOne accepts a connection. While the process has no free descriptor, it waits.
func acceptOne(ctx context.Context, l net.Listener) (net.Conn, error) {
	for {
		c, err := l.Accept()
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return c, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// client is the end of a connection that a program in the sandbox has opened.
type client struct {
	net.Conn
	r *bufio.Reader // reads from Conn
}

// handle serves one connection and closes it.
func (s *server) handle(ctx context.Context, conn net.Conn) {
	defer s.drop(conn)
	if !s.add(conn) {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(headTime))
	c := &client{conn, bufio.NewReaderSize(conn, maxHead)}
	first, err := c.r.Peek(1)
	switch {
	case err != nil: // it was closed, or it sent nothing: there is nothing to answer
	case first[0] == socksVersion:
		s.socks(ctx, c)
	default:
		s.http(ctx, c)
	}
}

// add remembers a connection, so that the end of Serve closes it. It reports whether Serve
// goes on; otherwise the connection is closed.
func (s *server) add(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close()
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

// drop closes a connection and forgets it.
func (s *server) drop(c net.Conn) {
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
}

// Env returns the environment variables that lead programs to a proxy at addr, such as
// "127.0.0.1:3128". Programs on the same machine are reached without it. The names are in
// both cases, because programs read one or the other.
func Env(addr string) []string {
	const local = "localhost,127.0.0.1,::1"
	return []string{
		"http_proxy=http://" + addr, "HTTP_PROXY=http://" + addr,
		"https_proxy=http://" + addr, "HTTPS_PROXY=http://" + addr,
		"all_proxy=socks5h://" + addr, "ALL_PROXY=socks5h://" + addr,
		"no_proxy=" + local, "NO_PROXY=" + local,
		"NODE_USE_ENV_PROXY=1", // node reads the others only with it, from version 24 on
	}
}
