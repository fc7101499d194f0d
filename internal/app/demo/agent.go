package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/origin"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

func agentCommand(o *cli.Options) *cobra.Command {
	port := 0
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Serve a small Copilot Extensions agent",
		Long: `Serve an agent of the Copilot Extensions protocol on this machine until Ctrl-C.
It keeps a few feature flags in memory: ask it which flags there are, or to turn
one on or off. It uses no model. docs/extensions.md shows a chat with it.`,
		Example: `  sidestick demo agent
  sidestick demo agent --port 4243
  sidestick agent chat http://127.0.0.1:4243     # in another terminal`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveAgent(cmd.Context(), o, port) },
	}
	cmd.Flags().IntVar(&port, "port", 0, "the `port` to listen on; 0 takes a free one")
	return cmd
}

// serveAgent serves the agent until ctx ends.
func serveAgent(ctx context.Context, o *cli.Options, port int) error {
	if port < 0 || port > 65535 {
		return cli.NewUsageError(fmt.Errorf("--port is %d, want 0 to 65535", port))
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	url := "http://" + l.Addr().String()
	// Unsigned: it can do no harm, and any client may try it.
	keeper := newFlagKeeper(url)
	agent := extension.NewHandler(keeper.answer, extension.HandlerOptions{Unsigned: true})
	srv := &http.Server{Handler: origin.Named(keeper.pages(agent)), ReadHeaderTimeout: 10 * time.Second}
	if _, err := fmt.Fprintf(o.Sys.Stdout, `The agent is listening; Ctrl-C ends it. In another terminal:

  sidestick agent chat %s
`, url); err != nil {
		return errors.Join(err, l.Close())
	}
	err = serveUntil(ctx, srv, l)
	newLine(o)
	return err
}

// newLine ends the line that a terminal has begun with ^C.
func newLine(o *cli.Options) {
	if terminal.Is(o.Sys.Stdout) {
		fmt.Fprintln(o.Sys.Stdout)
	}
}

// serveUntil serves until ctx ends, and then ends requests that are under way.
func serveUntil(ctx context.Context, srv *http.Server, l net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		err := srv.Close()
		<-ended
		return err
	}
}
