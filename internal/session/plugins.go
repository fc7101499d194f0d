package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// PluginsOf returns the plugins that a session uses; see [discovery.Finder.Plugins].
func PluginsOf(ctx context.Context, s *Session) ([]plugin.Plugin, error) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return nil, err
	}
	list, _ := s.home.Finder.Plugins(scope)
	return list, nil
}

// brought returns the folders whose files start or grant something in a session, and where links in
// the places of such files lead, with what the settings of the repository name as programs; see [permit.Rules.Brought] and [permit.Rules.Linked]. It reads files. There are none once the session has been closed.
func brought(ctx context.Context, s *Session) (folders, linked []string) {
	scope, err := discoveryHost{s}.Scope(ctx)
	if err != nil {
		return nil, nil
	}
	folders = s.home.Finder.Brought(scope)
	linked = append(s.home.Finder.Linked(scope, folders), effects.NamedByGit(scope.Cwd, s.home.UserHome)...)
	if guard := s.tools.guard.Load(); guard != nil {
		ends, repositories := guard.Places(scope.Cwd)
		linked = append(linked, ends...)
		for _, in := range repositories {
			linked = append(linked, effects.NamedByGit(in, s.home.UserHome)...)
		}
	}
	return folders, linked
}

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

// warnOfPlugins reads the folders of plugins that a client names for a session in cwd. It
// returns a warning about those that cannot be used, and about parts of the others that have
// no effect; nil if there is nothing to warn of.
func (h *Home) warnOfPlugins(dirs []string, cwd string) *wire.SessionWarning {
	if len(dirs) == 0 {
		return nil
	}
	list, problems := h.Plugins.Explicit(dirs, cwd)
	var texts []string
	for _, err := range problems {
		texts = append(texts, fault.Message(err)+".")
	}
	for _, p := range list {
		if parts := h.Plugins.Unused(p); len(parts) > 0 {
			texts = append(texts, fmt.Sprintf("The plugin %s has parts that have no effect here: %s.", p.Name, strings.Join(parts, ", ")))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &wire.SessionWarning{WarningType: "plugins", Message: strings.Join(texts, " ")}
}

// ReloadHooks reads the hook files of a session in memory anew, and returns how many hooks it
// has then. With later they are left out until the next call without it.
func (r *Registry) ReloadHooks(ctx context.Context, id string, later bool) (hooks int, err error) {
	s := r.loaded(id)
	if s == nil {
		return 0, wire.SessionNotFound(id)
	}
	if err := s.do(ctx, func() error { s.config.hooksLater = later; return nil }); err != nil {
		return 0, err
	}
	if err := s.readHooks(ctx); err != nil {
		return 0, err
	}
	return s.hooks.Commands(), nil
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
		plugins = hookPlugins(list)
	}
	list, warnings := r.home.HookFiles.Discover(projects, plugins)
	return list, warnings, nil
}

func hookPlugins(list []plugin.Plugin) (out []hook.Plugin) {
	for _, p := range list {
		out = append(out, hook.Plugin{Name: p.Name, Dir: p.Dir})
	}
	return out
}

// hookSearch is where a session looks for hook files.
func hookSearch(ctx context.Context, s *Session) (hook.FileSearch, error) {
	type search struct {
		where hook.FileSearch
		scope discovery.Scope
	}
	found, err := mailbox.Ask(ctx, s.post, func() (search, error) {
		where := hook.FileSearch{Cwd: s.state.Cwd, Root: s.state.GitRoot, Switch: s.config.fileHooks}
		if s.config.hooksLater {
			where.Switch = hook.Off
		}
		return search{where, discovery.Scope{Settings: s.config.search, Cwd: s.state.Cwd}}, nil
	})
	if err != nil {
		return hook.FileSearch{}, err
	}
	list, _ := s.home.Finder.Plugins(found.scope) // the client has been warned of problems
	found.where.Plugins = hookPlugins(list)
	return found.where, nil
}
