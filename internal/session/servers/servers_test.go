package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// fake is a session that has MCP servers.
type fake struct {
	statetest.Session
	gitHub GitHub
}

func (*fake) Cwd() string { return "/w" }

func (*fake) Conceal(string, map[string]string) {}

func (*fake) Redact(text string) string { return text }

func (*fake) Progress(tool.Call, string) {}

func (*fake) Meta(_ context.Context, _ tool.Call, _, _ string, meta map[string]any) map[string]any {
	return meta
}

func (*fake) Sandbox(context.Context, *mcp.OfProject) (*sandbox.Boxes, *sandbox.Policy, error) {
	return nil, nil, nil
}

func (*fake) Asker() mcp.Asker { return nil }

func (*fake) Folders(context.Context) ([]string, error) { return nil, nil }

func (f *fake) GitHub() GitHub { return f.gitHub }

// texts are the messages of the events that clients were sent.
func (f *fake) texts() (texts []string) {
	for _, e := range f.Sent() {
		texts = append(texts, wire.Raw(e.Data).Get("message").Text())
	}
	return texts
}

// asleep is the configuration of servers that are not started.
func asleep(names ...string) wire.Config {
	cfg := wire.Config{MCPServers: map[string]json.RawMessage{}, DisabledMCP: names}
	for _, name := range names {
		cfg.MCPServers[name] = json.RawMessage(`{"command": "none"}`)
	}
	return cfg
}

// GitHub's server is configured only for a client that asks for it, and only with a token.
func TestGitHubServer(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg  wire.Config
		want map[string]any // nil: no server
	}{
		"not asked for": {wire.Config{GitHubToken: "t"}, nil},
		"no token":      {wire.Config{GitHubMCP: &wire.GitHubMCP{All: true}}, nil},
		"tools that read": {
			wire.Config{GitHubToken: "t", GitHubMCP: &wire.GitHubMCP{Toolsets: []string{"actions"}, Tools: []string{"get_me"}}},
			map[string]any{"url": "https://t.test/mcp/readonly", "headers": map[string]any{"Authorization": "Bearer t", "X-MCP-Toolsets": "default,actions", "X-MCP-Tools": "get_me"}},
		},
		"all tools": {
			wire.Config{GitHubToken: "t", GitHubMCP: &wire.GitHubMCP{All: true, Toolsets: []string{"actions"}, Tools: []string{"get_me"}, Insiders: true}},
			map[string]any{"url": "https://t.test/mcp", "headers": map[string]any{"Authorization": "Bearer t", "X-MCP-Toolsets": "all", "X-MCP-Insiders": "true"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			address := func(_ context.Context, token string) string { return fmt.Sprintf("https://%s.test/", token) }
			m := New(&fake{gitHub: GitHub{Address: address}}, "s1", &Home{})
			m.UseGitHubToken(tc.cfg.GitHubToken)
			configure := m.gitHub(tc.cfg)
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

// A server that starts late gets the token that the session has then.
func TestGitHubServerGetsTheTokenOfNow(t *testing.T) {
	address := func(context.Context, string) string { return "https://api.test" }
	m := New(&fake{gitHub: GitHub{Token: "of the process", Address: address}}, "s1", &Home{})
	configure := m.gitHub(wire.Config{GitHubMCP: &wire.GitHubMCP{}})
	if got := string(configure(t.Context())); !strings.Contains(got, "Bearer of the process") {
		t.Errorf("configured: %s", got)
	}
	m.UseGitHubToken("newer")
	if got := string(configure(t.Context())); !strings.Contains(got, "Bearer newer") {
		t.Errorf("configured: %s", got)
	}
}

// A session has servers once a client configures or begins one.
func TestASessionWithoutServers(t *testing.T) {
	f := &fake{}
	m := New(f, "s1", &Home{})
	m.Configure(wire.Config{}, agent.Definition{})
	if _, err := m.Set(); fault.KindOf(err) != fault.Unavailable || m.Current() != nil {
		t.Errorf("Set = %v, want Unavailable", err)
	}
	set, err := m.Begin(t.Context())
	if again, _ := m.Set(); err != nil || set == nil || again != set {
		t.Errorf("Begin = %v, %v, want the servers that Set returns", set, err)
	}
	m.Closing()()
}

// Which servers clients have disabled is in the log, once for each change.
func TestDisabledServersAreInTheLog(t *testing.T) {
	f := &fake{}
	m := New(f, "s1", &Home{})
	m.Configure(asleep("a", "b"), agent.Definition{})
	m.Configure(asleep("a", "b"), agent.Definition{})
	defer m.Closing()()
	if list, err := m.List(t.Context()); err != nil || len(list.Servers) != 2 {
		t.Errorf("List = %+v, %v, want two servers", list, err)
	}
	for _, step := range []struct {
		name     string
		disabled bool
	}{{"a", false}, {"c", true}, {"c", true}} {
		if err := m.NoteDisabled(t.Context(), step.name, step.disabled); err != nil {
			t.Fatal(err)
		}
	}
	var recorded []string
	for _, e := range f.Sent() {
		if e.Type == "session.info" {
			recorded = append(recorded, wire.Raw(e.Data).Get("message").Text())
		}
	}
	want := []string{"These MCP servers are disabled: a, b.", "These MCP servers are disabled: b.", "These MCP servers are disabled: b, c."}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Error(diff)
	}
}

// The servers of the main agent start and end with it; another agent with the same servers keeps them.
func TestServersFollowTheMainAgent(t *testing.T) {
	f := &fake{}
	m := New(f, "s1", &Home{})
	brings := func(agentName, server string) agent.Definition {
		return agent.Definition{Name: agentName, MCPServers: map[string]json.RawMessage{server: json.RawMessage(`{"command": "none"}`)}}
	}
	m.settings.disabled = []string{"a", "b"}
	m.Follow(brings("one", "a"))
	first := m.OfMain()
	m.Follow(brings("two", "a"))
	if first == nil || m.OfMain() != first {
		t.Errorf("the servers are %p, want %p again", m.OfMain(), first)
	}
	m.Follow(brings("three", "b"))
	if second := m.OfMain(); second == nil || second == first {
		t.Errorf("the servers are %p, want others than %p", second, first)
	}
	m.Follow(agent.Definition{})
	if m.OfMain() != nil {
		t.Error("an agent without servers has some")
	}
	f.Wait()
}

// What a client asks for and does not get is a warning.
func TestWhatHasNoEffectIsAWarning(t *testing.T) {
	yes := true
	f := &fake{}
	m := New(f, "s1", &Home{})
	m.Configure(wire.Config{RequestMCPApps: &yes, GitHubMCP: &wire.GitHubMCP{}, MCPProblems: []string{"a file is unreadable"}}, agent.Definition{})
	for i, want := range []string{"MCP Apps are switched off", "a file is unreadable", "there is no GitHub token"} {
		if texts := f.texts(); i >= len(texts) || !strings.Contains(texts[i], want) {
			t.Errorf("warnings: %q, want %q at %d", texts, want, i)
		}
	}
	if is, err := m.Apps(t.Context()); is || err != nil {
		t.Errorf("Apps = %v, %v, want none", is, err)
	}
}

// The list of servers is the session's; an agent sends what its own servers do.
func TestEventsOfServersOfAnAgent(t *testing.T) {
	f := &fake{}
	for _, h := range []host{{f, "", false, &prompts{}}, {f, "", true, &prompts{}}, {f, "agent-1", true, &prompts{}}} {
		h.Notify(&wire.MCPServersLoaded{})
		h.Notify(&wire.SessionWarning{WarningType: "mcp"})
	}
	var got []string
	for _, e := range f.Sent() {
		got = append(got, string(e.Type)+" "+e.AgentID)
	}
	if want := []string{"session.mcp_servers_loaded ", "session.warning ", "session.warning ", "session.warning agent-1"}; !slices.Equal(got, want) {
		t.Errorf("sent: %q, want %q", got, want)
	}
}

// Tokens are those of the user only for a client that says so, and only where there is a home.
func TestWhereTokensAreKept(t *testing.T) {
	invalid := func(string, ...any) error { return fault.New(fault.Invalid, "", "", "wrong") }
	tokens := &oauth.Tokens{}
	for _, tc := range []struct {
		storage string
		home    Home
		want    *oauth.Tokens
		wrong   bool
	}{
		{TokensPersistent, Home{Tokens: tokens}, tokens, false},
		{TokensPersistent, Home{}, nil, false},
		{tokensInMemory, Home{Tokens: tokens}, nil, false},
		{"", Home{Tokens: tokens}, nil, false},
		{"elsewhere", Home{Tokens: tokens}, nil, true},
	} {
		cfg := wire.Config{TokenStorage: tc.storage}
		if got := tc.home.tokensFor(cfg); got != tc.want || (CheckSignIn(cfg, invalid) != nil) != tc.wrong {
			t.Errorf("%q: %p, %v", tc.storage, got, CheckSignIn(cfg, invalid))
		}
	}
	if CheckSignIn(wire.Config{ClientDocument: "http://example.com/doc"}, invalid) == nil {
		t.Error("a document that is not at an https address is allowed")
	}
}
