package servers

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// OfAgent are the MCP servers that the definition of an agent brings. They start with the agent and
// end with it, and only that agent is offered their tools.
type OfAgent struct {
	set    *mcp.Set
	offers offer.List                 // belongs to the session's goroutine
	from   map[string]json.RawMessage // of the definition
}

// Start starts the servers that an agent brings; agentID is "" for the main agent. It returns at once,
// nil if there are none.
func (m *Servers) Start(agentID string, def agent.Definition) *OfAgent {
	warn := func(text string) {
		m.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp", Message: "agent " + def.Name + ": " + text})
	}
	for _, name := range def.Servers {
		if !m.has(name) {
			warn("its file asks for the MCP server " + fault.Bounded(name) + ", which the session does not have")
		}
	}
	if len(def.MCPServers) == 0 {
		return nil
	}
	servers := def.MCPServers
	if def.Source == agent.User || def.Source == agent.Project { // files refer to variables
		servers = map[string]json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(def.MCPServers)) {
			config, err := m.home.Files.Expand(def.MCPServers[name], m.session.Cwd())
			if err != nil {
				warn("MCP server " + name + " is left out: " + err.Error())
				continue
			}
			if ignored := wire.UnreadServer("mcpServers."+name+".", wire.Raw(config)); len(ignored.Settings) > 0 {
				warn(ignored.Named())
			}
			if def.Source == agent.Project {
				config = mcp.MarkOfProject(config, def.MCPServers[name], m.home.Project(m.session.Cwd()))
			}
			servers[name] = config
		}
	}
	own := &OfAgent{set: m.newSet(agentID, true), from: def.MCPServers}
	set := m.settings
	own.set.Configure(mcp.Configuration{Servers: servers, Disabled: set.disabled, Indirect: set.indirect, Tokens: set.tokens, ClientDocument: set.document, Warn: warn})
	return own
}

// has reports whether the session has an MCP server of that name.
func (m *Servers) has(name string) bool {
	set := m.Current()
	if set == nil {
		return false
	}
	_, err := set.Remote(name)
	return fault.KindOf(err) != fault.NotFound
}

// Close ends the servers, and waits for that as [mcp.Set.Close] does. nil has none.
func (a *OfAgent) Close() {
	if a != nil {
		a.set.Close()
	}
}

// Set returns the servers.
func (a *OfAgent) Set() *mcp.Set { return a.set }

// Tools returns the tools that the servers have now, as [offer.List.Now]. It is called on the session's
// goroutine.
func (a *OfAgent) Tools(sheets *offer.Sheets) []*offer.Tool { return a.offers.Now(a.set, sheets) }

// OfMain returns the servers that the main agent brings; nil if it brings none.
func (m *Servers) OfMain() *OfAgent { return m.main.Load() }

// Follow starts the servers of the agent that is the main agent now, and ends those of the one
// before. It returns at once.
func (m *Servers) Follow(main agent.Definition) {
	was := m.main.Load()
	if was == nil && len(main.MCPServers) == 0 {
		return
	}
	if was != nil {
		if maps.EqualFunc(was.from, main.MCPServers, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			return
		}
		m.session.Go("session.agentServers", was.Close)
	}
	m.main.Store(m.Start("", main))
}
