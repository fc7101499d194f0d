package mcpcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Command is `sidestick mcp`.
func Command(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "List, add, remove and test MCP servers, and sign in to them",
		Long: `List, add, remove and test MCP servers, and sign in to them. They are programs
and web services with tools for the model. run and chat start those of your own
file and, if you trust the folder (sidestick trust), those of the project.
Programs on an SDK bring their own, and can ask for these.`,
		Example: `  sidestick mcp add memory -- npx -y @modelcontextprotocol/server-memory
  sidestick mcp add issues --url https://mcp.example/ --header 'X-Key: ${KEY}'
  sidestick mcp test memory
  sidestick mcp list --test
  sidestick mcp remove memory`,
	}
	cmd.AddCommand(listCommand(o), addCommand(o), removeCommand(o), testCommand(o), grantCommand(o), loginCommand(o), logoutCommand(o))
	return cmd
}

// opened are the configured servers.
type opened struct {
	*cli.Options
	local    *wiring.Local
	all      []mcp.Found
	problems []string // with files
}

// open reads the files of the user and of the project, with the configuration that load returns.
func open(o *cli.Options, load func() (config.Config, error)) (*opened, error) {
	cfg, err := load()
	if err != nil {
		return nil, err
	}
	s := &opened{Options: o, local: wiring.OpenLocal(cfg, o.Sys)}
	s.all, s.problems = s.local.FoundServers()
	return s, nil
}

// onServer runs a command with the name of a server as its first argument.
func onServer(o *cli.Options, run func(ctx context.Context, s *opened, name string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := open(o, o.Config)
		if err != nil {
			return err
		}
		return run(cmd.Context(), s, args[0])
	}
}

// complain prints what is wrong with files.
func (s *opened) complain() {
	for _, text := range s.problems {
		fmt.Fprintln(s.Sys.Stderr, cli.ForScreen(s.Sys.Stderr, "warning: "+timeline.Harmless(text)))
	}
}

// named returns the servers of a name, the one that counts last.
func (s *opened) named(name string) (list []mcp.Found) {
	for _, one := range s.all {
		if one.Name == name {
			list = append(list, one)
		}
	}
	return list
}

// unknown is the error of a name that no file has.
func (s *opened) unknown(name string) error {
	var names []string
	for _, one := range s.all {
		names = append(names, one.Name)
	}
	next := "; sidestick mcp list shows all"
	if meant := spelling.Closest(name, names); meant != "" {
		next = "; did you mean " + meant + "?"
	}
	if len(names) == 0 {
		next = "; sidestick mcp add adds one"
	}
	s.complain()
	return cli.NewUsageError(fmt.Errorf("there is no MCP server %q%s", timeline.OneLine(name, terminal.Columns/2), next))
}

// complete completes the name of a server.
func complete(o *cli.Options) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if s, err := open(o, o.ConfigToShow); err == nil && len(args) == 0 {
			for _, one := range s.all {
				names = append(names, one.Name)
			}
		}
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// shortPath is a path as the user reads it: in the project relative to it, and below the home with ~.
func (s *opened) shortPath(path string) string {
	if rel, ok := strings.CutPrefix(path, s.local.Project+"/"); ok && s.local.Project != "" {
		return timeline.ExposedLine(rel, 2*terminal.Columns)
	}
	return timeline.ExposedLine(cli.Tilde(path), 2*terminal.Columns)
}
