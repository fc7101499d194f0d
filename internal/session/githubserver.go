package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// gitHubServer returns what finds the configuration of GitHub's MCP server, which is at the Copilot API;
// nil if the client does not ask for it, or if there is no GitHub token. own is the provider of the session.
// A recording never says where the server is: it would be sent the token.
// Source of the headers: https://github.com/github/github-mcp-server/blob/main/docs/remote-server.md
func (r *Registry) gitHubServer(cfg wire.Config, own Provider) func(context.Context) json.RawMessage {
	if cfg.GitHubMCP == nil {
		return nil
	}
	api := r.opts.Copilot
	if own.Endpoint.Copilot && !own.replayed() && r.opts.Tape.Player == nil {
		api = own
	}
	token := api.Endpoint.BearerToken
	if cfg.GitHubToken != "" {
		token = cfg.GitHubToken
	}
	if token == "" {
		return nil
	}
	want := *cfg.GitHubMCP
	return func(ctx context.Context) json.RawMessage {
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
