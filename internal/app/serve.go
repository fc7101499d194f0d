package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// serverFlags are the flags that the six SDKs pass, and those that the protocol
// names besides. Anything else fails with its name, as the SDKs' users expect.
func (o *options) serverFlags(root *cobra.Command) {
	f := root.Flags()
	f.BoolVar(&o.headless, "headless", false, "serve programs written on the GitHub Copilot SDKs")
	f.BoolVar(&o.server, "server", false, "the same as --headless")
	o.listenFlags(root)
	f.BoolVar(&o.noAutoUpdate, "no-auto-update", false, "accepted; this program never updates itself")
	f.BoolVar(&o.remote, "remote", false, "accepted; there is no remote control to switch on yet")
}

// listenFlags are those of every way to serve.
func (o *options) listenFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.stdio, "stdio", false, "speak over stdin and stdout; without it over TCP")
	f.IntVar(&o.flags.Port, "port", 0, "TCP `port`; 0 is any free one")
	f.StringVar(&o.flags.Host, "host", "", "`address` to listen on (default 127.0.0.1)")
	f.StringVar(&o.flags.LogLevel, "log-level", "", "`level` of the log: none, error, warning, info, debug or all (default warning)")
	f.StringVar(&o.flags.LogDir, "log-dir", "", "write the log to a file in this `folder`, not to stderr")
	f.StringVar(&o.flags.AuthTokenEnv, "auth-token-env", "", "environment `variable` that holds a GitHub token")
	f.BoolVar(&o.flags.NoAutoLogin, "no-auto-login", false, "use no GitHub token but that of --auth-token-env")
	o.durabilityFlag(cmd)
	f.IntVar(&o.flags.IdleSeconds, "session-idle-timeout", 0, "`seconds` until an unused session leaves memory, to come back when it is used (default 600)")
	o.permissionFlags(cmd)
}

// durabilityFlag is for the commands that write sessions.
func (o *options) durabilityFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.flags.Durability, "durability", "", "`what` survives a power cut: turn, always or os (default turn)")
}

// flushWait bounds how long the end of the process waits for its sessions to
// write their last events. Clients give a server 10 seconds to go.
const flushWait = 5 * time.Second

// ballastSize is memory that is never touched, so that it costs none, and that the
// collector takes for part of the heap, which it lets grow to twice its size: the
// heap of a server is small, and would be collected for every few turns. It is a
// tenth less CPU in a turn for 16 MB of garbage more, and nothing where the heap is
// large. Source: docs/benchmarks.md.
const ballastSize = 16 << 20

// serve is the drop-in: it serves until the client goes, over stdio, or a signal
// comes, and leaves nothing unwritten.
func (o *options) serve(ctx context.Context) error {
	ignoreBrokenPipes()
	ballast := make([]byte, ballastSize)
	defer runtime.KeepAlive(ballast)
	cfg, err := o.config()
	if err != nil {
		return err
	}
	p, err := build(cfg, o.sys, nil)
	if err != nil {
		return err
	}
	if o.stdio {
		err = p.server.Serve(ctx, jsonrpc.Pipe(o.sys.Stdin, o.sys.Stdout))
	} else {
		err = o.listen(ctx, p, address(cfg))
	}
	if ctx.Err() != nil {
		err = nil // a signal is how a server is told to end
	}
	return errors.Join(err, p.close())
}

// ignoreBrokenPipes has a client that is gone show as an error of a write, not as the
// end of the process: there may be other clients, and there are logs to close.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// listen prints the line that the SDKs wait for, and nothing after it: some stop
// reading, and a full pipe would stop us.
func (o *options) listen(ctx context.Context, p *parts, addr string) error {
	l, err := listenOn(ctx, addr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(o.sys.Stdout, "listening on port %d\n", l.Addr().(*net.TCPAddr).Port); err != nil {
		return errors.Join(err, l.Close())
	}
	return p.server.Listen(ctx, l)
}

// address is where the configuration says to listen.
func address(cfg config.Config) string {
	return net.JoinHostPort(cfg.Host.Value, strconv.Itoa(cfg.Port.Value))
}

func listenOn(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w (choose another --port, or none for any free one)", err)
	}
	return l, nil
}
