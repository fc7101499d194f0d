package server

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func (c *conn) plugins() *plugin.Store { return c.home().Sessions.Plugins() }

// pluginInfo describes an installed plugin.
func pluginInfo(p plugin.Plugin) wire.PluginInfo {
	i := wire.PluginInfo{Name: p.Name, Marketplace: p.Marketplace, Enabled: p.Enabled, Version: wire.Optional(p.Version), DirectSourceID: wire.Optional(p.DirectID())}
	if p.Builtin {
		builtin := "builtin"
		i.Source = &builtin
	}
	return i
}

// sourced is for methods whose parameters name a folder or a plugin.
type sourced struct {
	Source           string `json:"source"`
	WorkingDirectory string `json:"workingDirectory"`
}

func listPlugins(_ context.Context, c *conn, _ none) (any, error) {
	list, err := c.plugins().List()
	if err != nil {
		return nil, err
	}
	out := wire.PluginsListed{}
	for _, p := range list {
		out.Plugins = append(out.Plugins, pluginInfo(p))
	}
	return encode(out)
}

// installPlugin installs a plugin. If parts of it have no effect here, the message for the
// user after the installation says so.
func installPlugin(ctx context.Context, c *conn, p sourced) (any, error) {
	if p.Source == "" {
		return nil, missing("source")
	}
	installed, err := c.plugins().Install(ctx, p.Source, p.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	out := wire.PluginInstalled{Plugin: pluginInfo(installed), SkillsInstalled: int64(c.plugins().Skills(installed))}
	if installed.Marketplace == "" {
		warning := "Installing a plugin from its own folder is deprecated by the protocol; install it from a marketplace, or name it in pluginDirectories."
		out.DeprecationWarning = &warning
	}
	if parts := c.plugins().Unused(installed); len(parts) > 0 {
		message := "These parts of the plugin have no effect here: " + strings.Join(parts, ", ") + "."
		out.PostInstallMessage = &message
	}
	return encode(out)
}

func uninstallPlugin(ctx context.Context, c *conn, p struct {
	Name           string `json:"name"`
	DirectSourceID string `json:"directSourceId"`
},
) (any, error) {
	if p.Name == "" {
		return nil, missing("name")
	}
	return none{}, c.plugins().Uninstall(ctx, p.Name, p.DirectSourceID)
}

func updatePlugin(ctx context.Context, c *conn, p struct {
	Name string `json:"name"`
},
) (any, error) {
	if p.Name == "" {
		return nil, missing("name")
	}
	now, before, err := c.plugins().Update(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	return wire.PluginUpdated{PreviousVersion: wire.Optional(before), NewVersion: wire.Optional(now.Version), SkillsInstalled: int64(c.plugins().Skills(now))}, nil
}

// updatePlugins updates all plugins. One that fails does not keep the others from it.
func updatePlugins(ctx context.Context, c *conn, _ none) (any, error) {
	list, err := c.plugins().List()
	if err != nil {
		return nil, err
	}
	out := wire.PluginsUpdated{}
	for _, p := range list {
		e := wire.PluginUpdateEntry{Name: p.Name, Marketplace: p.Marketplace, PreviousVersion: wire.Optional(p.Version)}
		now, _, err := c.plugins().Update(ctx, p.Spec())
		if err != nil {
			text := c.redact(fault.ForClient(err, "plugins.updateAll"))
			e.Error = &text
		} else {
			skills := int64(c.plugins().Skills(now))
			e.Success, e.NewVersion, e.SkillsInstalled = true, wire.Optional(now.Version), &skills
		}
		out.Results = append(out.Results, e)
	}
	return encode(out)
}

type pluginNames struct {
	Names []string `json:"names"`
}

func enablePlugins(ctx context.Context, c *conn, p pluginNames) (any, error) {
	return none{}, c.plugins().SetEnabled(ctx, p.Names, true)
}

func disablePlugins(ctx context.Context, c *conn, p pluginNames) (any, error) {
	return none{}, c.plugins().SetEnabled(ctx, p.Names, false)
}

func setBuiltinPlugins(_ context.Context, c *conn, p struct {
	Paths []string `json:"paths"`
},
) (any, error) {
	return none{}, c.plugins().SetBuiltin(p.Paths)
}

// setAdditionalPlugins takes the host's own list of plugins.
func setAdditionalPlugins(_ context.Context, c *conn, p struct {
	Plugins []struct {
		Name        string `json:"name"`
		Marketplace string `json:"marketplace"`
		Version     string `json:"version"`
		CachePath   string `json:"cache_path"`
		Enabled     bool   `json:"enabled"`
	} `json:"plugins"`
},
) (any, error) {
	var list []plugin.Plugin
	for _, given := range p.Plugins {
		list = append(list, plugin.Plugin{Name: given.Name, Marketplace: given.Marketplace, Version: given.Version, Dir: given.CachePath, Enabled: given.Enabled})
	}
	return empty{}, c.plugins().SetAdditional(list)
}

func listMarketplaces(_ context.Context, c *conn, _ none) (any, error) {
	list, err := c.plugins().Marketplaces()
	if err != nil {
		return nil, err
	}
	out := wire.Marketplaces{}
	for _, m := range list {
		out.Marketplaces = append(out.Marketplaces, wire.Marketplace{Name: m.Name, Source: m.Source, IsDefault: wire.Optional(m.Default)})
	}
	return encode(out)
}

func addMarketplace(ctx context.Context, c *conn, p sourced) (any, error) {
	if p.Source == "" {
		return nil, missing("source")
	}
	name, err := c.plugins().AddMarketplace(ctx, p.Source, p.WorkingDirectory)
	return wire.MarketplaceAdded{Name: name}, err
}

func browseMarketplace(_ context.Context, c *conn, p struct {
	Name string `json:"name"`
},
) (any, error) {
	list, err := c.plugins().Browse(p.Name)
	if err != nil {
		return nil, err
	}
	out := wire.MarketplaceBrowsed{}
	for _, a := range list {
		out.Plugins = append(out.Plugins, wire.MarketplacePlugin{Name: a.Name, Description: wire.Optional(a.Description)})
	}
	return encode(out)
}

// refreshMarketplaces checks that one marketplace, or each, can be read, and fetches those that
// are repositories.
func refreshMarketplaces(ctx context.Context, c *conn, p struct {
	Name *string `json:"name"`
},
) (any, error) {
	list, err := c.plugins().Marketplaces()
	if err != nil {
		return nil, err
	}
	out := wire.MarketplacesRefreshed{}
	for _, m := range list {
		if p.Name != nil && *p.Name != m.Name {
			continue
		}
		e := wire.MarketplaceRefreshed{Name: m.Name, Success: true}
		if err := c.plugins().Refresh(ctx, m.Name); err != nil {
			text := c.redact(fault.ForClient(err, "plugins.marketplaces.refresh"))
			e.Success, e.Error = false, &text
		}
		out.Results = append(out.Results, e)
	}
	if p.Name != nil && len(out.Results) == 0 {
		return nil, fault.New(fault.NotFound, "", "", "there is no marketplace %q", *p.Name)
	}
	return encode(out)
}

func removeMarketplace(ctx context.Context, c *conn, p struct {
	Name  string `json:"name"`
	Force bool   `json:"force"`
},
) (any, error) {
	dependent, err := c.plugins().RemoveMarketplace(ctx, p.Name, p.Force)
	return wire.MarketplaceRemoved{Removed: dependent == nil, DependentPlugins: dependent}, err
}

// sessionPlugins lists the plugins that a session uses.
func sessionPlugins(ctx context.Context, s *session.Session, _ named) (any, error) {
	list, err := session.PluginsOf(ctx, s)
	if err != nil {
		return nil, err
	}
	out := wire.SessionPlugins{}
	for _, p := range list {
		out.Plugins = append(out.Plugins, wire.SessionPlugin{Name: p.Name, Marketplace: p.Marketplace, Enabled: p.Enabled, Version: wire.Optional(p.Version)})
	}
	return encode(out)
}

// reloadSessionPlugins searches the skills and agents of a session again. Hooks are read with
// each run; MCP servers of new plugins are started by the next resume.
func reloadSessionPlugins(ctx context.Context, s *session.Session, _ named) (any, error) {
	_, err := s.Discovery().ReloadSkills(ctx)
	return none{}, err
}

// reloadHooks reads the hook files of a session again, including those of plugins.
func reloadHooks(ctx context.Context, c *conn, p struct {
	SessionID string `json:"sessionId"`
	Defer     bool   `json:"deferRepoHooks"`
},
) (any, error) {
	_, err := c.home().Sessions.ReloadHooks(ctx, p.SessionID, p.Defer)
	return empty{}, err
}

// loadDeferredHooks answers without prompts, because hook files contain no prompts.
func loadDeferredHooks(ctx context.Context, c *conn, p named) (any, error) {
	n, err := c.home().Sessions.ReloadHooks(ctx, p.SessionID, false)
	if err != nil {
		return nil, err
	}
	return struct {
		HookCount      int      `json:"hookCount"`
		StartupPrompts []string `json:"startupPrompts"`
	}{n, []string{}}, nil
}
