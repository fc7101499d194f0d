package session

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// GitHub's server is configured only for a client that asks for it, and only with a token.
func TestGitHubServer(t *testing.T) {
	copilot := provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://api.test/", Copilot: true}}
	own := provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://own.test", BearerToken: "another secret"}}
	located := copilot
	located.Locate = func(context.Context, string) string { return "https://account.test" }
	for name, tc := range map[string]struct {
		cfg     wire.Config
		copilot provider.Provider
		want    map[string]any // nil: no server
	}{
		"not asked for": {wire.Config{GitHubToken: "t"}, copilot, nil},
		"no token":      {wire.Config{GitHubMCP: &wire.GitHubMCP{All: true}}, copilot, nil},
		"tools that read": {
			wire.Config{GitHubToken: "t", GitHubMCP: &wire.GitHubMCP{Toolsets: []string{"actions"}, Tools: []string{"get_me"}}},
			copilot,
			map[string]any{"url": "https://api.test/mcp/readonly", "headers": map[string]any{"Authorization": "Bearer t", "X-MCP-Toolsets": "default,actions", "X-MCP-Tools": "get_me"}},
		},
		"all tools": {
			wire.Config{GitHubToken: "t", GitHubMCP: &wire.GitHubMCP{All: true, Toolsets: []string{"actions"}, Tools: []string{"get_me"}, Insiders: true}},
			located,
			map[string]any{"url": "https://account.test/mcp", "headers": map[string]any{"Authorization": "Bearer t", "X-MCP-Toolsets": "all", "X-MCP-Insiders": "true"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Registry{opts: Options{Copilot: tc.copilot}}
			s := &Session{reg: r}
			MCP(s).useGitHubToken(tc.cfg.GitHubToken)
			configure := gitHubServer(s, tc.cfg, own)
			if configure == nil || tc.want == nil {
				if configure != nil || tc.want != nil {
					t.Errorf("configured: %v, want %v", configure != nil, tc.want)
				}
				return
			}
			var got map[string]any
			if err := json.Unmarshal(configure(t.Context()), &got); err != nil {
				t.Fatal(err)
			}
			tc.want["type"], tc.want["source"] = "http", "builtin"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The address of a recording, which may come from elsewhere, is not sent the token: neither one that a client
// has named in its provider, nor one of the process.
func TestGitHubServerIsNotThatOfARecording(t *testing.T) {
	recorded := model.Endpoint{BaseURL: "https://recorded.test", Copilot: true}
	real := func(context.Context, string) string { return "https://api.test" }
	named := provider.Provider{Endpoint: recorded}
	named.Endpoint.Transport = &tape.Player{}
	for name, tc := range map[string]struct {
		opts Options
		own  provider.Provider
	}{
		"of a client":     {Options{Copilot: provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://api.test", Copilot: true}}}, named},
		"of the process":  {Options{Copilot: provider.Provider{Endpoint: recorded, Servers: real}, Tape: taped.Tape{Player: &tape.Player{}}}, provider.Provider{Endpoint: recorded}},
		"of both, at one": {Options{Copilot: provider.Provider{Endpoint: recorded, Servers: real}, Tape: taped.Tape{Player: &tape.Player{}}}, named},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Registry{opts: tc.opts}
			var got struct{ URL string }
			s := &Session{reg: r}
			MCP(s).useGitHubToken("t")
			configure := gitHubServer(s, wire.Config{GitHubToken: "t", GitHubMCP: &wire.GitHubMCP{}}, tc.own)
			if err := json.Unmarshal(configure(t.Context()), &got); err != nil || got.URL != "https://api.test/mcp/readonly" {
				t.Errorf("the token goes to %s, %v", got.URL, err)
			}
		})
	}
}
