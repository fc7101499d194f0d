package chat

import (
	"bytes"
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/front"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
)

// near shows the terminal interface on sessions of this process. choose has the user choose the first one.
func (c *chatter) near(ctx context.Context, choose bool) error {
	return entry.With(ctx, c.Options, &c.Settings, func(r *entry.Runtime) error {
		err := front.Show(ctx, r, front.Options{Settings: &c.Settings, Choose: choose, Models: c.models, Print: c.printed(r)})
		return r.Replayed(err)
	})
}

// printed carries out commands that the interface has no page for, as the line mode does.
func (c *chatter) printed(r *entry.Runtime) front.Print {
	return func(ctx context.Context, s *session.Client, d slash.Command, arg string, columns int) (string, error) {
		out := &paper{columns: columns}
		p := &chatter{Options: c.Options, Settings: c.Settings, talk: &conversation{Runtime: r, client: s}, out: out}
		if err := p.permitting(ctx); err != nil {
			return "", err
		}
		err := p.perform(ctx, d.Name(), arg)
		return out.String(), err
	}
}

// paper is what a command prints to, for the terminal interface to show.
type paper struct {
	bytes.Buffer
	columns int
}

// Size implements [sized].
func (p *paper) Size() (columns, rows int) { return p.columns, terminal.Rows }

// connectFlag adds --connect.
func (c *chatter) connectFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.connect, "connect", "", "work in a session of a running server: `HOST:PORT` of sidestick serve or sidestick --server; its token is $COPILOT_CONNECTION_TOKEN")
}

// far shows the terminal interface on sessions of a server. Flags that have no effect there are errors.
func (c *chatter) far(ctx context.Context, choose bool) error {
	if _, _, err := net.SplitHostPort(c.connect); err != nil {
		return cli.NewUsageError(errors.New("--connect " + c.connect + " is not an address: give HOST:PORT, such as 127.0.0.1:8000"))
	}
	if c.plainly() {
		return cli.NewUsageError(errors.New("--connect needs the terminal interface, and this terminal, or --plain, asks for line mode"))
	}
	if len(c.Plugins) > 0 {
		return cli.NewUsageError(errors.New("--plugin-dir has no effect with --connect: give it to the server"))
	}
	if flag := c.Choices.Given(); flag != "" {
		return cli.NewUsageError(errors.New(flag + " has no effect with --connect"))
	}
	return front.Connect(ctx, c.Options, c.connect, front.Options{Settings: &c.Settings, Choose: choose})
}
