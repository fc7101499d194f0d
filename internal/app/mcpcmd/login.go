package mcpcmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/lookalike"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func loginCommand(o *cli.Options) *cobra.Command {
	var again bool
	cmd := &cobra.Command{
		Use:   "login NAME",
		Short: "Sign in to an MCP server that is a web service",
		Long: `Sign in to an MCP server that is a web service (OAuth). The page to open in a
browser on this machine is printed; when you have signed in there, the token is
stored in Sidestick's home, readable only by you. Sessions of run and chat use
it and renew it.`,
		Example: `  sidestick mcp login issues
  sidestick mcp login issues --again   # as another user`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete(o),
		RunE:              onServer(o, func(ctx context.Context, s *opened, name string) error { return s.login(ctx, name, again) }),
	}
	cmd.Flags().BoolVar(&again, "again", false, "sign in although there is a token that the server accepts")
	return cmd
}

func (s *opened) login(ctx context.Context, name string, again bool) error {
	one, err := s.effective(name)
	if err != nil {
		return err
	}
	mcp.Conceal(one.Config, &s.Secrets)
	l := s.signIn(one)
	l.Again = again
	already, err := mcp.SignIn(ctx, l, func(page string) error {
		_, err := fmt.Fprintf(s.Sys.Stdout, "Open this page in a browser on this machine:\n\n  %s\n\nWaiting until you have signed in there. Ctrl-C stops.\n", timeline.Harmless(lookalike.With(page)))
		return err
	})
	switch {
	case ctx.Err() != nil:
		return cli.ErrAborted
	case err != nil:
		return err
	case already:
		_, err = fmt.Fprintf(s.Sys.Stdout, "%s: no sign-in needed: the server accepts your current credentials; --again signs in all the same\n", timeline.OneLine(name, terminal.Columns))
		return err
	}
	_, err = fmt.Fprintf(s.Sys.Stdout, "signed in to %s; to try it: sidestick mcp test %s\n", timeline.OneLine(name, terminal.Columns), cli.ShellWord(name))
	return err
}

// signIn says how to sign in to a server.
func (s *opened) signIn(one mcp.Found) mcp.Login {
	return mcp.Login{Name: one.Name, Config: one.Config, Tokens: s.local.Tokens()}
}

func logoutCommand(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:               "logout NAME",
		Short:             "Forget the token of an MCP server",
		Example:           "  sidestick mcp logout issues",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete(o),
		RunE:              onServer(o, func(_ context.Context, s *opened, name string) error { return s.logout(name) }),
	}
}

func (s *opened) logout(name string) error {
	list := s.named(name)
	if len(list) == 0 {
		return s.unknown(name)
	}
	any := false
	for _, one := range list {
		was, err := s.forget(one)
		if err != nil {
			return err
		}
		any = any || was
	}
	text := "signed out of "
	if !any {
		text = "there was no token for "
	}
	_, err := fmt.Fprintln(s.Sys.Stdout, text+timeline.OneLine(name, terminal.Columns))
	return err
}

// forget forgets the token of a server, and reports whether there was one.
func (s *opened) forget(one mcp.Found) (was bool, err error) {
	shown, err := mcp.OutlineOf(one.Name, one.Config)
	if err != nil || shown.Transport == "stdio" {
		return false, nil // it cannot have one
	}
	return mcp.SignOut(s.signIn(one))
}
