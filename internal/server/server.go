package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Options configures a [Server]: what belongs to the process. Gate, Models and Version are required.
type Options struct {
	// Gate admits clients, each to a home.
	Gate   gate.Gate[*Home]
	Models *model.Client
	// Sandboxes answers sandbox.getHostSupport. nil: none is supported.
	Sandboxes func() wire.HostSupport
	Version   string
	Logger    *slog.Logger
	// Files is how many files the process can have open, by which connections and sessions are
	// bounded. Default: what the system says.
	Files int
	// Left is called when a client has left its sessions. It does not block. Default: nothing.
	Left func()
}

// Home is what a client may use once it has authenticated. Sessions is required. No field changes.
type Home struct {
	Sessions *registry.Registry
	// Known is what is known about models besides the lists of providers; nil: nothing.
	Known *known.Catalogue
	// Provider answers models.list.
	Provider provider.Provider
	// Identity answers auth.getStatus. nil: the home is not signed in.
	Identity *Identity
	// ShowKeys lets clients read the credentials of a session's provider with
	// session.provider.getEndpoint.
	ShowKeys bool
	// Ignored is what the start of the process asked for and what has no effect; each session
	// warns of it.
	Ignored []wire.Setting
	// Secrets knows the secrets of the home, which no error repeats. Required for account.login and
	// session.auth.setCredentials, which add to them.
	Secrets *obs.Redactor
}

// Server serves any number of connections.
type Server struct {
	opts     Options
	guests   guests
	turns    *jsonrpc.Turns
	memory   *quota.Pool // in bytes
	files    *quota.Pool // of sessions
	departed departed
	filter   filterValues
	down     atomic.Bool // runtime.shutdown was called
}

// New returns a server. Serve and Listen do the work.
func New(opts Options) *Server {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Files <= 0 {
		opts.Files = quota.Files()
	}
	if opts.Left == nil {
		opts.Left = func() {}
	}
	conns, sessions := divided(opts.Files)
	return &Server{opts: opts, guests: guests{max: conns}, turns: jsonrpc.NewTurns(), memory: quota.New(allMemory), files: quota.New(int64(sessions))}
}

// Serve serves one connection with [wire.ProtocolVersion] until the client hangs up, the stream breaks or
// ctx ends, and then detaches it from its sessions. It owns rwc. The error is
// nil after a clean end.
func (s *Server) Serve(ctx context.Context, rwc io.ReadWriteCloser) error {
	return s.serve(ctx, rwc, wire.ProtocolVersion, false)
}

// ServeStarter is [Server.Serve] for the client that has started this process, over the standard
// streams: the environment of the process is the client's own. protocol is the version that the client
// speaks.
func (s *Server) ServeStarter(ctx context.Context, rwc io.ReadWriteCloser, protocol int) error {
	return s.serve(ctx, rwc, protocol, true)
}

func (s *Server) serve(ctx context.Context, rwc io.ReadWriteCloser, protocol int, starter bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newConn(ctx, s, rwc)
	c.started, c.protocol = starter, protocol
	options := jsonrpc.Options{ErrorOf: c.errorOf, Logger: s.opts.Logger, Memory: c.memory, Turns: s.turns, FrameWait: tokenWait}
	closed := s.opts.Gate.Closed()
	if closed {
		options.FirstFrame = firstFrame
	}
	c.rpc = jsonrpc.NewConn(rwc, c.handle, options)
	if err := s.guests.admit(c, closed); err != nil {
		return refuseConn(rwc, err)
	}
	defer s.opts.Left()
	defer s.guests.remove(c)
	var err error
	if closed {
		c.relays.Go(func() { c.endWithoutToken(ctx) })
	} else {
		err = c.authenticate(ctx, "")
	}
	if err == nil {
		err = c.rpc.Run(ctx)
	} else {
		err = refuseConn(rwc, err)
	}
	cancel()
	c.detachAll()
	c.leave()
	c.relays.Wait()
	s.filter.leave(c)
	return err
}

// isRemote reports whether a connection comes from another machine: over TCP and not
// from a loopback address. A pipe or a Unix socket is of this machine.
func isRemote(rwc io.ReadWriteCloser) bool {
	nc, ok := rwc.(net.Conn)
	if !ok {
		return false
	}
	tcp, ok := nc.RemoteAddr().(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// Listen serves every connection that l accepts, until ctx ends; then it closes l and
// waits for the connections. The error is nil if ctx ended it. A TCP client that
// vanishes is noticed after about a minute. protocol is the version that its clients speak.
func (s *Server) Listen(ctx context.Context, l net.Listener, protocol int) error {
	var conns sync.WaitGroup
	defer conns.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conns.Go(func() {
		<-ctx.Done()
		if err := fault.Guard("server.Listen", func() error { _ = l.Close(); return nil }); err != nil {
			s.opts.Logger.Error("the listener was not closed", "err", err)
		}
	})
	var pause time.Duration // grows while Accept fails
	for {
		nc, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil { // for example no file descriptors, until clients leave
			s.opts.Logger.Warn("a connection was not accepted", "err", err)
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			continue
		}
		pause = 0
		conns.Go(func() {
			s.logEnd(fault.Guard("server.Serve", func() error {
				defer nc.Close() // Serve owns it, unless it panics
				return s.serveNet(ctx, nc, protocol)
			}), nc)
		})
	}
}

// serveNet serves a connection and ends it if its client vanishes.
func (s *Server) serveNet(ctx context.Context, nc net.Conn, protocol int) error {
	tc, ok := nc.(*net.TCPConn)
	if !ok {
		return s.serve(ctx, nc, protocol, false)
	}
	if err := keepAsking(tc); err != nil {
		s.opts.Logger.Warn("a client that vanishes may not be noticed", "err", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() { s.endWhenVanished(ctx, tc, func() time.Duration { return unacknowledged(tc) }) })
	return s.serve(ctx, promptly(tc), protocol, false)
}

// logEnd logs why a connection ended, unless its client has gone: one that does while something is on its way to it
// resets the connection, or makes a write fail.
func (s *Server) logEnd(err error, nc net.Conn) {
	gone := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	if err != nil && !gone && !errors.Is(err, context.Canceled) {
		s.opts.Logger.Warn("a connection ended badly", "peer", nc.RemoteAddr().String(), "err", err)
	}
}
