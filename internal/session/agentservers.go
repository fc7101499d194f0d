package session

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// agentServers are the MCP servers that the definition of an agent brings. They start with the
// agent and end with it, and only that agent is offered their tools. nil: it brings none.
type agentServers struct {
	set    *mcp.Set
	offers offer.List                 // belongs to the session's goroutine
	from   map[string]json.RawMessage // of the definition
}

// serverSettings are the settings of clients for the MCP servers of agents. The servers of the
// session keep them, too.
type serverSettings struct {
	indirect bool
	disabled []string
	tokens   *oauth.Tokens // nil: those of the session are kept in memory
	document string        // about the program of the client, for signing in
}

// note takes over what a configuration says of these settings. tokens are those that it names.
func (s *serverSettings) note(cfg wire.Config, tokens *oauth.Tokens) {
	s.tokens, s.document = cmp.Or(tokens, s.tokens), cmp.Or(cfg.ClientDocument, s.document)
	if cfg.EnvValueMode != "" {
		s.indirect = cfg.EnvValueMode == "indirect"
	}
	if cfg.DisabledMCP != nil {
		s.disabled = cfg.DisabledMCP
	}
}

// startFor starts the servers of an agent; agentID is "" for the main agent. It returns at once, nil
// if there are none. It is called on the session's goroutine, or while the session is opened.
func (m Servers) startFor(agentID string, def agent.Definition) *agentServers {
	if len(def.MCPServers) == 0 {
		return nil
	}
	warn := func(text string) {
		m.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp", Message: "agent " + def.Name + ": " + text})
	}
	servers := def.MCPServers
	if def.Source == agent.User || def.Source == agent.Project { // files refer to variables
		servers = map[string]json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(def.MCPServers)) {
			config, err := m.s.reg.servers.Expand(def.MCPServers[name], *m.s.at.Load())
			if err != nil {
				warn("MCP server " + name + " is left out: " + err.Error())
				continue
			}
			if ignored := wire.UnreadServer("mcpServers."+name+".", wire.Raw(config)); len(ignored.Settings) > 0 {
				warn(ignored.Named())
			}
			if def.Source == agent.Project {
				config = mcp.MarkOfProject(config, def.MCPServers[name], m.s.reg.ProjectOf(*m.s.at.Load()))
			}
			servers[name] = config
		}
	}
	own := &agentServers{set: m.newSet(agentHost{serverHost(m), agentID}), from: def.MCPServers}
	set := m.s.tools.serverSettings
	own.set.Configure(mcp.Configuration{Servers: servers, Disabled: set.disabled, Indirect: set.indirect, Tokens: set.tokens, ClientDocument: set.document, Warn: warn})
	return own
}

// close ends the servers, and waits for that as [mcp.Set.Close] does.
func (a *agentServers) close() {
	if a != nil {
		a.set.Close()
	}
}

// follow starts the servers of the agent that is the main agent now, and ends those of the one
// before. It returns at once. It is called on the session's goroutine, or while the session is
// opened.
func (m Servers) follow() {
	was, def := m.s.tools.mainServers.Load(), m.s.config.agents.Main
	if was == nil && len(def.MCPServers) == 0 {
		return
	}
	if was != nil {
		if maps.EqualFunc(was.from, def.MCPServers, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			return
		}
		m.s.spawn("session.agentServers", was.close)
	}
	m.s.tools.mainServers.Store(m.startFor("", def))
}

// ownServers returns the MCP servers of the thread's agent; nil if it brings none.
func (t *thread) ownServers() *agentServers {
	if t.sub != nil {
		return t.sub.servers
	}
	return t.s.tools.mainServers.Load()
}

// sourcesFor yields the sources of the session's tools, and then the MCP servers that an agent
// brings. Of two MCP tools with one name, the agent is offered its own.
func (t *toolset) sourcesFor(r role) iter.Seq2[tool.Source, []*offer.Tool] {
	own := t.mainServers.Load()
	if r.sub != nil {
		own = r.sub.servers
	}
	return func(yield func(tool.Source, []*offer.Tool) bool) {
		var brought []*offer.Tool
		if own != nil {
			brought = own.offers.Now(own.set, &t.s.reg.sheets)
		}
		for from, known := range t.sources {
			list := known.Now(from, &t.s.reg.sheets)
			if len(brought) > 0 && known == &t.serverOffers {
				list = slices.DeleteFunc(slices.Clone(list), func(o *offer.Tool) bool {
					return slices.ContainsFunc(brought, func(b *offer.Tool) bool { return b.Definition.Name == o.Definition.Name })
				})
			}
			if !yield(from, list) {
				return
			}
		}
		if own != nil {
			yield(own.set, brought)
		}
	}
}

// agentHost is a session as the MCP servers of one agent need it; it implements [mcp.Host].
type agentHost struct {
	serverHost
	agentID string
}

// Notify sends the events of these servers as those of the agent. The list of servers is that of the
// session, so its event is not sent.
func (h agentHost) Notify(data wire.Data) {
	if _, loaded := data.(*wire.MCPServersLoaded); !loaded {
		h.s.log.emitFor(h.agentID, data)
	}
}
