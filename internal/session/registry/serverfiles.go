package registry

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Tokens are the tokens of the user for MCP servers, which sessions with [servers.TokensPersistent] use.
func (r *Registry) Tokens() *oauth.Tokens { return r.tokens }

// MCPApps reports whether MCP Apps are switched on.
func (r *Registry) MCPApps() bool { return r.opts.MCPApps }

// serverFiles are the files that configure MCP servers.
func (r *Registry) serverFiles() *mcp.Files {
	f := &mcp.Files{FS: r.opts.FS, Counts: r.Trust().Counts, Resolve: r.opts.Resolve, Environ: func() []string { return nil }}
	if r.opts.Home != "" {
		f.User = projectfiles.Paths(projectfiles.Servers, projectfiles.Home, r.opts.Home)[0]
	}
	if r.opts.UserHome != "" {
		f.Other = projectfiles.Paths(projectfiles.Servers, projectfiles.UserHome, r.opts.UserHome)[0]
	}
	if r.opts.MCP != nil {
		f.Environ = func() []string { return r.opts.MCP().Environ }
	}
	return f
}

// ServerFiles returns the files of the user and of projects that configure MCP servers.
func (r *Registry) ServerFiles() *mcp.Files { return r.home.ServerFiles }

// FindServers returns the servers in the files of the user, and of the project that a folder is in, down to that folder.
// It reads files.
func (r *Registry) FindServers(folder string) (found []mcp.Found, problems []string) {
	return r.home.ServerFiles.Find(r.ProjectOf(folder), cmp.Or(folder, r.opts.Cwd))
}

// ProjectOf returns the folder of the project that a folder is in: its git repository or, outside
// of one, the folder itself. "" is the working directory of this program. It reads files.
func (r *Registry) ProjectOf(folder string) string {
	folder = cmp.Or(folder, r.opts.Cwd)
	return cmp.Or(r.home.Finder.GitRoot(folder), folder)
}

// sourceProject is the source of the servers in files of a project.
const sourceProject = "workspace"

// withServerFiles adds to the configuration of a client the MCP servers in files, if it asks for
// them, and those of plugins. A server of the client takes the place of one in a file, and that
// of one in a plugin. It reads files.
func (r *Registry) withServerFiles(cfg wire.Config) wire.Config {
	if cfg.OnlyMCPServers {
		return cfg
	}
	found, problems := r.pluginServers(cfg)
	if is(cfg.EnableConfigDiscovery) {
		more, wrong := r.FindServers(cfg.WorkingDirectory)
		found, problems = append(found, more...), append(problems, wrong...)
	}
	cfg.MCPProblems = problems
	if is(cfg.EnableConfigDiscovery) && cfg.GitHubMCP != nil {
		cfg.DisabledInFiles = append(slices.Clip(cfg.DisabledInFiles), disabledGitHub(r.home.ServerFiles)...)
	}
	if len(found) == 0 {
		return cfg
	}
	servers := map[string]json.RawMessage{}
	for _, one := range found {
		if cfg.MCPServers[one.Name] == nil {
			cfg.Unread.Add(wire.UnreadServer("mcpServers."+one.Name+".", wire.Raw(one.Config)))
		}
		servers[one.Name] = mcp.WithSource(one.Config, one.Source)
		if one.Source == sourceProject {
			servers[one.Name] = mcp.MarkOfProject(servers[one.Name], one.Written, r.ProjectOf(cfg.WorkingDirectory))
		}
		if one.Disabled && cfg.MCPServers[one.Name] == nil {
			cfg.DisabledInFiles = append(slices.Clip(cfg.DisabledInFiles), one.Name)
		}
	}
	maps.Copy(servers, cfg.MCPServers)
	cfg.MCPServers = servers
	return cfg
}

// disabledGitHub returns the names by which the user's file disables GitHub's server, which is in no file.
// An unreadable file is a problem that FindServers names.
func disabledGitHub(files *mcp.Files) []string {
	_, disabled, _ := files.Users()
	return slices.DeleteFunc(slices.Clone(disabled), func(name string) bool { return !wire.SameServer(name, wire.GitHubServer) })
}

func is(v *bool) bool { return v != nil && *v }
