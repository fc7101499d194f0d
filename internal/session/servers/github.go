package servers

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// GitHub says where GitHub's MCP server is, which is at the Copilot API.
type GitHub struct {
	// Token is for a session whose clients give none; empty: there is none.
	Token string
	// Address returns the address of the Copilot API for the account of a token. It may ask GitHub's
	// API, for some seconds.
	Address func(ctx context.Context, token string) string
}

// gitHub returns what finds the configuration of GitHub's server; nil if the client does not ask for
// it, or if there is no GitHub token. The token is the one that the session has when the server is
// started.
// Source of the headers: https://github.com/github/github-mcp-server/blob/main/docs/remote-server.md
func (m *Servers) gitHub(cfg wire.Config) func(context.Context) json.RawMessage {
	if cfg.GitHubMCP == nil {
		return nil
	}
	at := m.session.GitHub()
	if m.gitHubToken.Load() == nil {
		if at.Token == "" {
			return nil
		}
		m.gitHubToken.Store(&at.Token)
	}
	m.wantsToken.Store(true)
	want := *cfg.GitHubMCP
	return func(ctx context.Context) json.RawMessage {
		token := *m.gitHubToken.Load()
		path, headers := gitHubTools(want)
		headers["Authorization"] = "Bearer " + token
		sent, err := json.Marshal(map[string]any{"type": "http", "url": strings.TrimRight(at.Address(ctx, token), "/") + path, "headers": headers, "source": "builtin"})
		if err != nil {
			return nil // cannot happen: all of it is text
		}
		return sent
	}
}

// UseGitHubToken notes the GitHub token that a client gives the session; "" for none. GitHub's server is
// started again with it if it runs.
func (m *Servers) UseGitHubToken(token string) {
	if token == "" {
		return
	}
	before := m.gitHubToken.Swap(&token)
	if set := m.set.Load(); set != nil && before != nil && *before != token {
		set.Renew(wire.GitHubServer)
	}
}

// FollowTokens returns [wire.Config.GitHubTokens], after which GitHub's server gets each new token, and conceal, too;
// nil if there is none. A token that the session has meanwhile from elsewhere stays.
func (m *Servers) FollowTokens(cfg wire.Config, conceal func(token string)) func(context.Context) (string, error) {
	if cfg.GitHubTokens == nil {
		return nil
	}
	var last atomic.Pointer[string]
	last.Store(&cfg.GitHubToken)
	next := func(ctx context.Context) (string, error) {
		token, err := cfg.GitHubTokens(ctx)
		if err != nil {
			return "", err
		}
		if before := last.Swap(&token); *before != token {
			conceal(token)
			if now := m.gitHubToken.Load(); now != nil && *now == *before {
				m.UseGitHubToken(token)
			}
		}
		return token, nil
	}
	m.nextToken.Store(&next)
	return next
}

// RenewToken has GitHub's server use the next token, if it is time for one: in a session with a provider of its own,
// nothing else asks for it. It may wait for the client. Without a new token the server keeps the old one, and says itself
// whether that is good.
func (m *Servers) RenewToken(ctx context.Context) {
	if next := m.nextToken.Load(); next != nil && m.wantsToken.Load() {
		_, _ = (*next)(ctx)
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
