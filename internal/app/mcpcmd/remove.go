package mcpcmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func removeCommand(o *cli.Options) *cobra.Command {
	var in scope
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an MCP server from its file",
		Example: `  sidestick mcp remove memory
  sidestick mcp remove memory --scope project`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete(o),
		RunE:              onServer(o, func(_ context.Context, s *opened, name string) error { return s.remove(name, in) }),
	}
	in.flag(cmd, "", "change the file of this `scope`, if both have the server: user or project")
	return cmd
}

func (s *opened) remove(name string, in scope) error {
	if err := in.check(); err != nil {
		return err
	}
	list := s.named(name)
	if len(list) == 0 {
		return s.unknown(name)
	}
	if in != "" {
		list = slices.DeleteFunc(list, func(one mcp.Found) bool { return one.Source != in.source() })
	}
	if len(list) == 0 {
		return cli.NewUsageError(fmt.Errorf("no file of the %s has an MCP server %q", in, name))
	}
	one := list[len(list)-1]
	if first := list[0]; first.Source != one.Source {
		return cli.NewUsageError(fmt.Errorf("%s is in %s and in %s; add --scope user or --scope project", name, s.shortPath(first.Path), s.shortPath(one.Path)))
	}
	if err := s.local.RemoveServer(one); err != nil {
		return err
	}
	if _, err := s.forget(one); err != nil {
		return err
	}
	err := cli.Printf(s.Sys.Stdout, "removed %s from %s\n", timeline.OneLine(name, terminal.Columns), s.shortPath(one.Path))
	return err
}
