package server

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// brought are the configurations of MCP servers that a client has sent on its connection: it may read their
// values again, and those of no others.
type brought struct {
	mu      sync.Mutex // guards configs
	configs map[[32]byte]bool
}

// maxBrought bounds the configurations that are remembered. The client reads further ones without their values.
const maxBrought = 1000

// note remembers a configuration.
func (b *brought) note(config json.RawMessage) {
	key, ok := sameConfig(config)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !ok || len(b.configs) >= maxBrought {
		return
	}
	if b.configs == nil {
		b.configs = map[[32]byte]bool{}
	}
	b.configs[key] = true
}

func (b *brought) has(config json.RawMessage) bool {
	key, ok := sameConfig(config)
	b.mu.Lock()
	defer b.mu.Unlock()
	return ok && b.configs[key]
}

// sameConfig is the same for configurations that differ in spaces and in the order of fields only.
func sameConfig(config json.RawMessage) (key [32]byte, ok bool) {
	var fields map[string]any
	if json.Unmarshal(config, &fields) != nil {
		return key, false
	}
	text, err := json.Marshal(fields)
	return sha256.Sum256(text), err == nil
}

// bring remembers the MCP servers of the agents that the client configures.
func (c *conn) bring(agents []wire.CustomAgent) {
	for _, a := range agents {
		for _, config := range a.MCPServers {
			c.brought.note(config)
		}
	}
}

// shownServer is the configuration of an MCP server as the client may read it.
func (c *conn) shownServer(config json.RawMessage) json.RawMessage {
	if c.home().ShowKeys || c.brought.has(config) {
		return config
	}
	return mcp.Concealed(config)
}

// shownAgents removes from a description of agents the values of configurations that the client has not brought.
func (c *conn) shownAgents(agents ...*wire.AgentInfo) {
	for _, a := range agents {
		if a == nil {
			continue
		}
		for name, config := range a.MCPServers {
			if text, err := json.Marshal(config); err == nil {
				a.MCPServers[name] = c.shownServer(text)
			} else {
				delete(a.MCPServers, name) // cannot happen: it was sent as JSON
			}
		}
	}
}

// shownList is [conn.shownAgents] for a list.
func (c *conn) shownList(agents []wire.AgentInfo) {
	for i := range agents {
		c.shownAgents(&agents[i])
	}
}
