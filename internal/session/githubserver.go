package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// gitHubServer returns what finds the configuration of GitHub's MCP server, which is at the Copilot API;
// nil if the client does not ask for it, or if there is no GitHub token. own is the provider of the session. The
// token is the one that the session has when the server is started.
// A recording never says where the server is: it would be sent the token.
// Source of the headers: https://github.com/github/github-mcp-server/blob/main/docs/remote-server.md
func gitHubServer(s *Session, cfg wire.Config, own provider.Provider) func(context.Context) json.RawMessage {
	if cfg.GitHubMCP == nil {
		return nil
	}
	api := s.reg.opts.Copilot
	if own.Endpoint.Copilot && !own.Replayed() && s.reg.opts.Tape.Player == nil {
		api = own
	}
	if s.tools.gitHubToken.Load() == nil {
		if api.Endpoint.BearerToken == "" {
			return nil
		}
		s.tools.gitHubToken.Store(&api.Endpoint.BearerToken)
	}
	want := *cfg.GitHubMCP
	return func(ctx context.Context) json.RawMessage {
		token := *s.tools.gitHubToken.Load()
		base := api.Endpoint.BaseURL
		switch {
		case api.Servers != nil:
			base = api.Servers(ctx, token)
		case api.Locate != nil:
			base = api.Locate(ctx, token)
		}
		path, headers := gitHubTools(want)
		headers["Authorization"] = "Bearer " + token
		sent, err := json.Marshal(map[string]any{"type": "http", "url": strings.TrimRight(base, "/") + path, "headers": headers, "source": "builtin"})
		if err != nil {
			return nil // cannot happen: all of it is text
		}
		return sent
	}
}

// useGitHubToken notes the GitHub token that a client gives the session; "" for none. GitHub's server is started
// again with it if it runs.
func (m Servers) useGitHubToken(token string) {
	if token == "" {
		return
	}
	before := m.s.tools.gitHubToken.Swap(&token)
	if set := m.s.tools.servers.Load(); set != nil && before != nil && *before != token {
		set.Renew(wire.GitHubServer)
	}
}

// gitHubTools returns the path of the server and the headers that choose its tools. Tools that change
// something are offered only if the client asks for all.
func gitHubTools(want wire.GitHubMCP) (path string, headers map[string]string) {
	path, headers = "/mcp/readonly", map[string]string{}
	switch {
	case want.All:
		path, headers["X-MCP-Toolsets"] = "/mcp", "all"
	case len(want.Toolsets) > 0:
		headers["X-MCP-Toolsets"] = strings.Join(append([]string{"default"}, want.Toolsets...), ",")
	}
	if len(want.Tools) > 0 && !want.All {
		headers["X-MCP-Tools"] = strings.Join(want.Tools, ",")
	}
	if want.Insiders {
		headers["X-MCP-Insiders"] = "true"
	}
	return path, headers
}
