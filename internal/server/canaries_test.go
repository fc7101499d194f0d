package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// planted is a credential that was planted in a place; every planted one begins with plantedPrefix.
func planted(place string) string { return plantedPrefix + place }

const plantedPrefix = "sk-planted-0123456789-"

// plantedFiles are files of the user with credentials.
func plantedFiles() map[string]string {
	servers := func(place string) string {
		return fmt.Sprintf(`{"mcpServers":{
			"web":{"url":"https://mcp.test/mcp?api_key=%s","headers":{"Authorization":"Bearer %s","X-Other":%q},"oauthClientSecret":%q},
			"user":{"url":"https://me:%s@mcp.test/mcp"},
			"program":{"command":"tool","args":["--token","%s","--key=%s"],"env":{"API_TOKEN":%q,"PLAIN":%q}}}}`,
			planted(place+"-query"), planted(place+"-authorization"), planted(place+"-header"), planted(place+"-secret"),
			planted(place+"-password"), planted(place+"-argument"), planted(place+"-flag"), planted(place+"-env"), planted(place+"-plain"))
	}
	return map[string]string{
		"/home/keys.json":                `{"keys":{"openai":{"key":"` + planted("keys-json") + `"}}}`,
		"/home/config.jsonc":             `{"providers":{"ollama":{"baseUrl":"http://model.test/v1?key=` + planted("config-jsonc") + `"}}}`,
		"/home/mcp-config.json":          servers("user-file"),
		"/user/.copilot/mcp-config.json": servers("other-file"),
		"/work/.mcp.json":                servers("project-file"),
	}
}

// plausible are the arguments with which each method is called. Some fit it.
var plausible = []string{
	`{}`,
	`{"sessionId":"s1"}`,
	`{"sessionId":"s1","modelId":"p/m","serverName":"api","name":"api","path":"/home/keys.json","id":"x","requestId":"x","prompt":"Hi.","text":"Hi.","message":"Hi.","question":"Hi.","limit":100,"key":"apiKey","query":"sk","cwd":"/work","workingDirectory":"/work"}`,
	`{"sessionId":"s1","modelId":"m","serverName":"web","name":"web","path":"plan.md","content":"x","mode":"interactive","type":"user","selectionId":"other@github.com","prefix":"s","format":"json","uri":"file:///home/keys.json","toolName":"x"}`,
	`{"sessionId":"s1","sessionIds":["s1"],"names":["web"],"filter":{},"projectPaths":["/work"],"workingDirectories":["/work"],"folder":"/work","include":["all"]}`,
	`{"sessionId":"s1","serverName":"program","model":"m","workingDirectory":"/work","enableConfigDiscovery":true,"requestPermission":true,"hooks":true}`,
	`{"workingDirectory":"/work","cwd":"/work","projectPath":"/work"}`,
}

// goneAfter are methods after which there is less to see; they are called last.
func goneAfter(method string) bool {
	for _, word := range []string{"delete", "destroy", "detach", "close", "prune", "bulkDelete", "releaseLock", "logout", "clear", "Clear", "remove", "uninstall", "truncate", "abort", "stop", "disable"} {
		if strings.Contains(method, word) {
			return true
		}
	}
	return false
}

// withPlanted has the process know credentials of the environment and of package keys.
func withPlanted(s *registry.Options, o *server.Home) {
	secrets := &obs.Redactor{}
	s.Redactor, o.Secrets = secrets, secrets
	s.Provider.Endpoint.APIKey, s.Provider.Endpoint.Owner = planted("environment"), model.OfEnvironment
	s.Copilot.Endpoint.BearerToken, s.Copilot.Endpoint.Owner = planted("environment-token"), model.OfEnvironment
	for _, known := range []string{planted("environment"), planted("environment-token")} { // as package wiring does
		secrets.Add(known)
	}
	o.Provider = s.Provider
	s.KeysAt = func(string) func(context.Context, string) (string, error) {
		return func(context.Context, string) (string, error) {
			secrets.Add(planted("keys-json")) // as package keys does
			return planted("keys-json"), nil
		}
	}
	o.Identity.Token, o.Identity.TokenFrom = planted("environment-token"), "env GH_TOKEN"
	s.MCP = func() mcp.Options {
		return mcp.Options{Web: &listener{}, Environ: []string{"GH_TOKEN=" + planted("environment-token")}}
	}
}

// plant plants credentials in files and in the store of tokens, and has another client bring its own into the session
// s1.
func plant(p *process) (other *peer) {
	t := p.t
	for path, text := range plantedFiles() {
		if err := p.disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(p.disk, path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.sessions.Tokens().Put("https://mcp.test/mcp", oauth.Token{Access: planted("oauth"), Refresh: planted("oauth-refresh")}); err != nil {
		t.Fatal(err)
	}

	other = p.connect()
	other.call("account.login", `{"token":"`+planted("login")+`"}`)
	other.call("session.create", fmt.Sprintf(`{"sessionId":"s1","model":"m","requestPermission":true,"gitHubToken":%q,"mcpOAuthTokenStorage":"persistent","githubMcpToolConfig":{},
		"provider":{"type":"openai","baseUrl":"http://model.test/v1?sig=%s","apiKey":%q,"headers":{"X-Mine":%q}},
		"mcpServers":{"api":{"url":"https://mcp.test/mcp?key=%s","headers":{"Authorization":"Bearer %s","X-Mine":%q}}},
		"customAgents":[{"name":"a","prompt":"x","mcpServers":{"own":{"url":"https://mcp.test/mcp","headers":{"X-Mine":%q}}}}]}`,
		planted("session-token"), planted("session-url"), planted("session-key"), planted("session-header"),
		planted("server-query"), planted("server-authorization"), planted("server-header"), planted("agent-server")))
	other.call("session.provider.add", `{"sessionId":"s1","providers":[{"name":"p","baseUrl":"http://model.test/v1","bearerToken":"`+planted("session-named")+`"}],"models":[{"provider":"p","id":"m"}]}`)
	other.call("session.send", `{"sessionId":"s1","prompt":"Hi.","requestHeaders":{"X-Mine":"`+planted("message-header")+`"}}`)
	other.event("s1", "session.idle", 1)
	return other
}

// inOrder are the methods, last those after which there is less to see.
func inOrder() []string {
	methods := slices.DeleteFunc(server.Methods(), func(name string) bool { return name == "runtime.shutdown" || name == "llmInference.setProvider" })
	slices.SortStableFunc(methods, func(a, b string) int {
		if goneAfter(a) == goneAfter(b) {
			return strings.Compare(a, b)
		}
		return map[bool]int{true: 1, false: -1}[goneAfter(a)]
	})
	return methods
}

// A second client calls every method that there is, in a session that another client shares with it, and carries
// the model calls: no credential of the environment, of files, of the store of tokens or of the other client is in
// any byte that it receives.
func TestNoMethodShowsTheCredentialsOfOthers(t *testing.T) {
	user := json.RawMessage(`{"login":"other","copilot_plan":"individual"}`)
	users := map[string]json.RawMessage{planted("environment-token"): user, planted("login"): user, planted("session-token"): user}
	inBubble(t, setup{Adjust: withPlanted, GitHub: users}, func(t *testing.T, p *process) {
		other := plant(p)
		c := p.connect()
		c.carry("mine")
		c.call("session.resume", `{"sessionId":"s1","requestPermission":true,"hooks":true,"enableGitHubTelemetryForwarding":true}`)
		other.call("session.send", `{"sessionId":"s1","prompt":"Hi again.","requestHeaders":{"X-Mine":"`+planted("message-header")+`"}}`)
		other.event("s1", "session.idle", 2)

		methods := inOrder()
		heard := 0
		for _, method := range methods {
			for _, params := range plausible {
				c.request(method, params)
				synctest.Wait()
				for _, m := range c.messages()[heard:] {
					if at := strings.Index(string(m.raw), plantedPrefix); at >= 0 {
						t.Errorf("after %s %.60s, the client reads …%s", method, params, m.raw[max(0, at-120):min(len(m.raw), at+60)])
					}
				}
				heard = len(c.messages())
			}
		}
		if heard < len(methods)*len(plausible) {
			t.Errorf("the client got %d messages for %d calls; the connection ended early", heard, len(methods)*len(plausible))
		}
	}, modeltest.Reply{Text: "Hello.", Repeat: true})
}
