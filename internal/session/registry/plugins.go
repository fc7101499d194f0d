package registry

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// pluginServers returns the MCP servers of the plugins that a session with this configuration
// uses. It reads files. A plugin does not take the place of GitHub's server of this program, which the client
// has asked for: what is allowed for its tools is not allowed for those of a stranger.
func (r *Registry) pluginServers(cfg wire.Config) (found []mcp.Found, problems []string) {
	scope := discovery.Scope{Cwd: cmp.Or(cfg.WorkingDirectory, r.opts.Cwd)}
	scope.Settings.Configure(cfg)
	list, _ := r.home.Finder.Plugins(scope) // the client is warned of problems when the session opens
	for _, p := range list {
		more, wrong := r.home.ServerFiles.FindInPlugin(p.Dir)
		problems = append(problems, wrong...)
		for _, one := range more {
			if cfg.GitHubMCP != nil && wire.SameServer(strings.ToLower(one.Name), wire.GitHubServer) {
				problems = append(problems, "MCP server "+one.Name+" of "+one.Path+" is left out: the name is that of the server of GitHub, for which githubMcpToolConfig asks; give it another name in the file")
				continue
			}
			found = append(found, one)
		}
	}
	return found, problems
}

// ReloadHooks reads the hook files of a session in memory anew, and returns how many hooks it
// has then. With later they are left out until the next call without it.
func (r *Registry) ReloadHooks(ctx context.Context, id string, later bool) (hooks int, err error) {
	s := r.loaded(id)
	if s == nil {
		return 0, wire.SessionNotFound(id)
	}
	return s.ReloadHooks(ctx, later)
}

// DiscoverHooks lists the hooks of the files of projects that the user trusts and, unless only
// those are wanted, of plugins. [fault.Invalid] if a path is not absolute.
func (r *Registry) DiscoverHooks(projects []string, only bool) ([]hook.Listed, []string, error) {
	for _, path := range projects {
		if !filepath.IsAbs(path) {
			return nil, nil, fault.New(fault.Invalid, "hooks.discover", path, "the path is not absolute")
		}
	}
	var plugins []hook.Plugin
	if !only {
		list, _ := r.home.Finder.Plugins(discovery.Scope{Settings: discovery.Settings{DiscoverSkills: true}})
		plugins = hook.OfPlugins(list)
	}
	list, warnings := r.home.HookFiles.Discover(projects, plugins)
	return list, warnings, nil
}
