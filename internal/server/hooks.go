package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// discoverHooks lists the hooks of trusted projects and of plugins. Plugins are the host's.
func discoverHooks(_ context.Context, c *conn, p wire.HooksDiscover) (any, error) {
	list, warnings, err := c.home().Sessions.DiscoverHooks(p.ProjectPaths, p.ExcludeHostHooks != nil && *p.ExcludeHostHooks)
	if err != nil {
		return nil, err
	}
	out := wire.HooksDiscovered{Hooks: []wire.DiscoveredHook{}, Errors: []string{}, Warnings: append([]string{}, warnings...)}
	for _, h := range list {
		origin := wire.HookOrigin("repository")
		if h.Plugin {
			origin = "plugin"
		}
		out.Hooks = append(out.Hooks, wire.DiscoveredHook{
			ID: h.ID, HookType: wire.HookType(h.Kind), Origin: origin, Source: &h.Source, ProjectPath: wire.Optional(h.Project), Enabled: h.Enabled,
		})
	}
	return out, nil
}
