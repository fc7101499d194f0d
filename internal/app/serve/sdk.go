package serve

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// programs is the door of programs on the SDKs, over TCP.
type programs struct {
	server   *server.Server
	protocol int // the version that its clients speak
}

// Name implements [Door].
func (programs) Name() string { return "programs on an SDK" }

// Serve implements [Door].
func (d programs) Serve(ctx context.Context, l net.Listener) error {
	return d.server.Listen(ctx, l, d.protocol)
}

// Drain implements [Door]. Clients leave their sessions while Serve returns.
func (programs) Drain(context.Context) error { return nil }

// starter is the door of the program that has started this one, over the standard streams.
type starter struct {
	programs
	streams       io.ReadWriteCloser
	announceReady bool
}

// Serve implements [Door].
func (d starter) Serve(ctx context.Context, _ net.Listener) error {
	if d.announceReady {
		if _, err := io.WriteString(d.streams, "ready\n"); err != nil {
			return fmt.Errorf("the program that has started this one does not read: %w", err)
		}
	}
	return d.server.ServeStarter(ctx, d.streams, d.protocol)
}

// openPrograms returns the opening for programs on the SDKs.
func (s *Server) openPrograms(p *wiring.Parts) Opening {
	door := programs{p.Server, s.protocol}
	if s.stdio {
		return Opening{Door: starter{door, jsonrpc.Pipe(s.Sys.Stdin, s.Sys.Stdout), s.announceReady}}
	}
	return Opening{Door: door, Address: address(p.Config, p.Config.Port.Value), Flag: "--port", Announce: func(at net.Addr) error {
		return s.announcePrograms(p, at)
	}}
}

// announcePrograms prints the line that the SDKs wait for, and nothing after it: some SDKs stop
// reading, and a full pipe would block the server.
func (s *Server) announcePrograms(p *wiring.Parts, at net.Addr) error {
	if _, err := fmt.Fprintf(s.Sys.Stdout, "listening on port %d\n", at.(*net.TCPAddr).Port); err != nil {
		return err
	}
	// Programs that start the server may show its stderr to their users, so only a user at a
	// terminal gets the line.
	if p.Config.ConnectionToken.Value == "" && terminal.Is(s.Sys.Stderr) {
		fmt.Fprintln(s.Sys.Stderr, "sidestick: no connection token is set, so every program on this machine, also of its other users, "+
			"can use this port (set COPILOT_CONNECTION_TOKEN)")
	}
	return nil
}
