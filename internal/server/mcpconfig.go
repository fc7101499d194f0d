package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// serverConfig has the parameters of the methods that change the user's MCP servers.
type serverConfig struct {
	Name   string          `json:"name"`
	Names  []string        `json:"names"`
	Config json.RawMessage `json:"config"`
}

// serverConfigs are the user's MCP servers.
type serverConfigs struct {
	Servers map[string]json.RawMessage `json:"servers"`
}

func listServerConfigs(_ context.Context, c *conn, _ none) (any, error) {
	servers, _, err := c.home().Sessions.ServerFiles().Users()
	for name, config := range servers {
		servers[name] = c.shownServer(config)
	}
	return serverConfigs{servers}, err
}

func addServerConfig(_ context.Context, c *conn, p serverConfig) (any, error) {
	return c.putServerConfig(p, true)
}

func updateServerConfig(_ context.Context, c *conn, p serverConfig) (any, error) {
	return c.putServerConfig(p, false)
}

// putServerConfig stores a server. Values that the client was not shown stay as they are; what the client has
// sent without such values it may read again.
func (c *conn) putServerConfig(p serverConfig, add bool) (any, error) {
	files := c.home().Sessions.ServerFiles()
	servers, _, err := files.Users()
	if err != nil {
		return nil, err
	}
	stored := servers[p.Name]
	if add {
		stored = nil // a new server has no values that the client was not shown
	}
	config, err := mcp.Restored(p.Config, stored)
	if err != nil {
		return nil, fault.New(fault.Invalid, "", p.Name, "config: %w", err)
	}
	if err := files.Put(p.Name, config, add); err != nil {
		return nil, err
	}
	if string(config) == string(p.Config) {
		c.brought.note(config)
	}
	return none{}, nil
}

func removeServerConfig(_ context.Context, c *conn, p serverConfig) (any, error) {
	return none{}, c.home().Sessions.ServerFiles().Remove(p.Name)
}

func disableServerConfigs(_ context.Context, c *conn, p serverConfig) (any, error) {
	return changeServerConfigs(c, p, true)
}

func enableServerConfigs(_ context.Context, c *conn, p serverConfig) (any, error) {
	return changeServerConfigs(c, p, false)
}

func changeServerConfigs(c *conn, p serverConfig, off bool) (any, error) {
	if len(p.Names) == 0 {
		return nil, missing("names")
	}
	return none{}, c.home().Sessions.ServerFiles().Disable(p.Names, off)
}

// reloadServerConfigs does nothing but report a file that cannot be read: it is read when it is
// needed.
func reloadServerConfigs(_ context.Context, c *conn, _ none) (any, error) {
	_, _, err := c.home().Sessions.ServerFiles().Users()
	return none{}, err
}

func discoverServers(_ context.Context, c *conn, p wire.MCPDiscover) (any, error) {
	folder := ""
	if p.WorkingDirectory != nil {
		folder = *p.WorkingDirectory
	}
	found, _ := c.home().Sessions.FindServers(folder)
	list := wire.MCPDiscovered{Servers: []wire.MCPDiscoveredServer{}}
	for _, one := range found {
		d := wire.MCPDiscoveredServer{Name: one.Name, Enabled: !one.Disabled, Source: wire.MCPSource(one.Source)}
		if transport := wire.MCPDiscoveredType(mcp.Transport(one.Config)); transport != "" {
			d.Type = &transport
		}
		list.Servers = append(list.Servers, d)
	}
	return encode(list)
}
