package mcp

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// List returns the servers and their states, in the order of their names.
func (s *Set) List() wire.MCPServerList {
	s.need()
	s.mu.Lock()
	defer s.mu.Unlock()
	host := &wire.MCPHostState{
		Clients: []string{}, DisabledServers: []string{}, FilteredServers: []string{}, PendingConnections: []string{}, Mcp3pEnabled: true,
		FailedServers: map[string]wire.MCPFailure{}, NeedsAuthServers: map[string]wire.MCPNeedsAuthInfo{},
	}
	list := wire.MCPServerList{Host: host, Servers: []wire.MCPServer{}}
	for _, v := range s.sorted() {
		list.Servers = append(list.Servers, wire.MCPServer{Name: v.name, Status: v.status, Error: wire.Optional(v.why), Source: v.sourceOf()})
		switch v.status {
		case wire.MCPConnected:
			host.Clients = append(host.Clients, v.name)
		case wire.MCPDisabled:
			host.DisabledServers = append(host.DisabledServers, v.name)
		case wire.MCPPending:
			host.PendingConnections = append(host.PendingConnections, v.name)
		case wire.MCPFailed:
			host.FailedServers[v.name] = wire.MCPFailure{Message: v.why, Timestamp: v.since.UnixMilli()}
		case wire.MCPNeedsAuth:
			host.NeedsAuthServers[v.name] = wire.MCPNeedsAuthInfo{Timestamp: v.since.UnixMilli()}
		}
	}
	return list
}

// summary describes the server in session.mcp_servers_loaded. The caller holds the lock.
func (v *server) summary() wire.MCPServerLoaded {
	transport := wire.MCPTransport(v.config.transport)
	loaded := wire.MCPServerLoaded{Name: v.name, Status: v.status, Error: wire.Optional(v.why), Source: v.sourceOf()}
	if transport != "" {
		loaded.Transport = &transport
	}
	return loaded
}

// sourceOf is where the configuration of the server comes from; nil if it is not known. The
// caller holds the lock.
func (v *server) sourceOf() *wire.MCPSource {
	if !slices.Contains([]string{"user", "workspace", "plugin", "builtin"}, v.config.source) {
		return nil
	}
	source := wire.MCPSource(v.config.source)
	return &source
}
