package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// grant are the flags of `sidestick mcp grant`.
type grant struct {
	hosts, folders  []string
	outside, forget bool
}

func grantCommand(o *cli.Options) *cobra.Command {
	var g grant
	cmd := &cobra.Command{
		Use:   "grant NAME",
		Short: "Say what an MCP server of the project may do",
		Long: `Say what a program that is an MCP server of the project may do beside what its
sandbox allows: connect to hosts, use further folders, or run outside of the
sandbox. Without a grant it has no network, and the folders of the session.

A grant is kept in your own folder, and holds for the server as it is defined
now: if the file of the project defines it otherwise, the grant has no effect.
It takes the place of an earlier one for the same server.`,
		Example: `  sidestick mcp grant memory --host registry.example.com --host '*.example.org'
  sidestick mcp grant notes --dir ~/notes
  sidestick mcp grant browser --outside
  sidestick mcp grant browser --forget`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete(o),
		RunE:              onServer(o, func(_ context.Context, s *opened, name string) error { return s.grant(name, g) }),
	}
	cmd.Flags().StringArrayVar(&g.hosts, "host", nil, "a `host` that it may connect to: example.com, *.example.com, example.com:8443")
	cmd.Flags().StringArrayVar(&g.folders, "dir", nil, "a `folder` that it may read and write")
	cmd.Flags().BoolVar(&g.outside, "outside", false, "start it outside of any sandbox")
	cmd.Flags().BoolVar(&g.forget, "forget", false, "take back what was granted")
	cmd.MarkFlagsMutuallyExclusive("forget", "host")
	cmd.MarkFlagsMutuallyExclusive("forget", "dir")
	cmd.MarkFlagsMutuallyExclusive("forget", "outside")
	cmd.MarkFlagsOneRequired("host", "dir", "outside", "forget")
	return cmd
}

func (s *opened) grant(name string, g grant) error {
	shown := timeline.OneLine(name, terminal.Columns)
	if g.forget {
		if err := s.local.Trust().RevokeServer(s.local.Project, name); err != nil {
			return err
		}
		return cli.Printf(s.Sys.Stdout, "%s has no grant any more\n", shown)
	}
	one, err := s.ofProject(name)
	if err != nil {
		return err
	}
	for _, host := range g.hosts {
		if host == "" || strings.ContainsAny(host, "/ \t\n") {
			return cli.NewUsageError(fmt.Errorf("%q is not a host: write example.com, *.example.com or example.com:8443", host))
		}
	}
	var folders []string
	for _, folder := range g.folders {
		folders = append(folders, cli.Absolute(folder))
	}
	if err := s.local.Trust().GrantServer(s.local.Project, one, g.hosts, folders, g.outside); err != nil {
		return err
	}
	granted, err := s.local.Trust().ServerGrants(s.local.Project)
	if err != nil {
		return err
	}
	return cli.Printf(s.Sys.Stdout, "%s: %s\n", shown, GrantText(granted[name]))
}

// ofProject returns the program of a name that a file of the project configures, perhaps one of an agent.
func (s *opened) ofProject(name string) (found mcp.Found, err error) {
	for _, one := range s.all {
		if one.Name == name && one.Source == sourceProject {
			found = one
		}
	}
	agents, _ := s.local.Finder().AgentFiles([]string{s.local.Project}, false) // a folder that is a path is no error
	for _, a := range agents {
		if config, ok := a.MCPServers[name]; ok && found.Name == "" {
			found = mcp.Found{Name: name, Written: config, Path: a.Path, Source: sourceProject}
		}
	}
	switch {
	case found.Name == "":
		return found, cli.NewUsageError(fmt.Errorf("no file of the project has an MCP server %q; servers of your own file run outside of the sandbox", name))
	case mcp.Transport(found.Written) != "stdio":
		return found, cli.NewUsageError(errors.New("it is a web service, and no program: there is nothing to grant"))
	}
	return found, nil
}

const sourceProject = "workspace"

// GrantText says what a server may do.
func GrantText(g approval.ServerGrant) string {
	if g.Outside {
		return "runs outside of any sandbox"
	}
	parts := []string{"runs in a sandbox", "no network"}
	if len(g.Hosts) > 0 {
		parts[1] = "may connect to " + strings.Join(g.Hosts, ", ")
	}
	if len(g.Folders) > 0 {
		parts = append(parts, "may use "+strings.Join(g.Folders, ", "))
	}
	return timeline.OneLine(strings.Join(parts, "; "), 4*terminal.Columns)
}

// granted says what a server of the project may do; "" for every other, and for web services.
func (s *opened) granted(one mcp.Found) string {
	if one.Source != sourceProject || mcp.Transport(one.Written) != "stdio" {
		return ""
	}
	list, err := s.local.Trust().ServerGrants(s.local.Project)
	g, ok := list[one.Name]
	switch {
	case err != nil:
		return "what it is granted cannot be read"
	case ok && g.Digest != mcp.DefinitionDigest(one.Written):
		return GrantText(approval.ServerGrant{}) + "; what you have granted was for another definition, and has no effect"
	}
	return GrantText(g)
}
