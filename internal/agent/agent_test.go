package agent_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestFilterOffers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		filter agent.Filter
		want   bool
	}{
		{"everything by default", agent.Filter{}, true},
		{"an empty allowlist offers nothing", agent.Filter{Available: []string{}}, false},
		{"a bare name matches any source", agent.Filter{Available: []string{"deploy"}}, true},
		{"a source and a star", agent.Filter{Available: []string{"custom:*"}}, true},
		{"the beginning of a name", agent.Filter{Available: []string{"custom:dep*"}}, true},
		{"the beginning of another name", agent.Filter{Available: []string{"custom:de-*"}}, false},
		{"a source and a name", agent.Filter{Available: []string{"custom:deploy"}}, true},
		{"another source does not match", agent.Filter{Available: []string{"builtin:deploy", "mcp:*"}}, false},
		{"a bare star is a name", agent.Filter{Available: []string{"*"}}, false},
		{"excluded by name", agent.Filter{Excluded: []string{"deploy"}}, false},
		{"excluded by source", agent.Filter{Excluded: []string{"custom:*"}}, false},
		{"the allowlist is the last word", agent.Filter{Available: []string{"deploy"}, Excluded: []string{"deploy"}}, true},
		{"unless exclusion wins", agent.Filter{Available: []string{"deploy"}, Excluded: []string{"deploy"}, ExcludedWins: true}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.filter.Offers(agent.Tool{Source: "custom", Name: "deploy"}); got != tc.want {
				t.Errorf("%+v offers deploy: %v, want %v", tc.filter, got, tc.want)
			}
		})
	}
}

// The tools of one server are not those of another whose name begins in the same way.
func TestAllToolsOfAServer(t *testing.T) {
	f := agent.Filter{Available: []string{"mcp:git/*"}}
	for server, want := range map[string]bool{"git": true, "git-evil": false, "": false} {
		if got := f.Offers(agent.Tool{Source: "mcp", Name: server + "-push", Server: server, ServerTool: "push"}); got != want {
			t.Errorf("a tool of %q: %v, want %v", server, got, want)
		}
	}
	if f.Offers(agent.Tool{Source: "custom", Name: "git-push", Server: "git"}) {
		t.Error("a tool of a client is offered")
	}
}

// A tool of a server is meant by the names that the server and the tool have themselves, whatever name models call it by.
func TestAToolByTheNamesOfItsServer(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		tool    agent.Tool
		want    bool
	}{
		{"mcp__my.server__delete", agent.Tool{Name: "my_server-delete", Server: "my.server", ServerTool: "delete"}, true},
		{"mcp__my_server__delete", agent.Tool{Name: "my_server-delete", Server: "my.server", ServerTool: "delete"}, true},
		{"mcp:db/repo.delete", agent.Tool{Name: "db-repo_delete", Server: "db", ServerTool: "repo.delete"}, true},
		{"mcp:db/repo.*", agent.Tool{Name: "db-repo_delete", Server: "db", ServerTool: "repo.delete"}, true},
		{"mcp:db/repo.d", agent.Tool{Name: "db-repo_delete", Server: "db", ServerTool: "repo.delete"}, false},
		{"mcp__a__b__c", agent.Tool{Name: "a__b-c", Server: "a__b", ServerTool: "c"}, true},
		{"mcp__a__b__c", agent.Tool{Name: "a-b__c", Server: "a", ServerTool: "b__c"}, true},
		{"mcp__a__b", agent.Tool{Name: "a__b-c", Server: "a__b", ServerTool: "c"}, true},
		{"mcp__a__b", agent.Tool{Name: "a-bc", Server: "a", ServerTool: "bc"}, false},
		{"mcp__db__get_*", agent.Tool{Name: "x_123", Server: "db", ServerTool: "get_row"}, true},
		{"mcp__d*", agent.Tool{Name: "db-get", Server: "db", ServerTool: "get"}, true},
		{"mcp__db", agent.Tool{Name: "dbx-get", Server: "dbx", ServerTool: "get"}, false},
		{"mcp__db__get", agent.Tool{Name: "renamed_4f", Server: "db", ServerTool: "get"}, true},
	} {
		tc.tool.Source = "mcp"
		if got := (agent.Filter{Available: []string{tc.pattern}}).Offers(tc.tool); got != tc.want {
			t.Errorf("%s matches %+v: %v, want %v", tc.pattern, tc.tool, got, tc.want)
		}
	}
}

// GitHub's server has two names, and a pattern may have either.
func TestAPatternWithEitherNameOfGitHubsServer(t *testing.T) {
	for _, server := range []string{"github", "github-mcp-server"} {
		for _, pattern := range []string{"mcp:github/*", "mcp:github-mcp-server/*", "mcp:github-get_me", "github-mcp-server-get_me", "github-get_me", "mcp:github-get*", "mcp__github__get_me", "mcp:github/get_me"} {
			if (agent.Filter{Excluded: []string{pattern}}).Offers(agent.Tool{Source: "mcp", Name: server + "-get_me", Server: server, ServerTool: "get_me"}) {
				t.Errorf("%s does not exclude a tool of %s", pattern, server)
			}
		}
		if !(agent.Filter{Excluded: []string{"mcp:github-evil/*", "github-other"}}).Offers(agent.Tool{Source: "mcp", Name: server + "-get_me", Server: server, ServerTool: "get_me"}) {
			t.Errorf("patterns for others exclude a tool of %s", server)
		}
	}
}

// Every field that a client sends for an agent is in its definition, under the same name.
func TestNothingThatAClientSendsIsDropped(t *testing.T) {
	no := false
	sent := wire.CustomAgent{
		Name: "reviewer", DisplayName: "Reviewer", Description: "reviews", Prompt: "Review.", Tools: []string{"view"},
		MCPServers: map[string]json.RawMessage{"db": json.RawMessage(`{"command":"db"}`)}, Infer: &no,
		Skills: []string{"go"}, Model: "small", ReasoningEffort: "low",
	}
	from, to := reflect.ValueOf(sent), reflect.ValueOf(agent.FromClient(sent))
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		if from.Field(i).IsZero() {
			t.Errorf("the test sends no %s", name)
		}
		got := to.FieldByName(name)
		if !got.IsValid() {
			t.Errorf("a Definition has no %s", name)
			continue
		}
		want := from.Field(i)
		if want.Kind() == reflect.Pointer {
			want = want.Elem()
		}
		if diff := cmp.Diff(want.Interface(), got.Interface()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if !agent.FromClient(wire.CustomAgent{}).Infer {
		t.Error("infer is false by default")
	}
}

func TestDefinition(t *testing.T) {
	var d agent.Definition
	if !d.Offers(agent.Tool{Source: "builtin", Name: "bash"}) || d.ModelOr("m") != "m" || d.EffortOr("high") != "high" || d.Instructions() != "" {
		t.Errorf("the default agent restricts something: %+v", d)
	}
	d = agent.Definition{
		Prompt: " do\n", Tools: []string{"view", "custom:*"}, ExcludedTools: []string{"deploy"}, Model: "small", ReasoningEffort: "low",
	}
	for name, want := range map[string]bool{"view": true, "bash": false, "lookup": true, "deploy": false} {
		source := map[string]string{"lookup": "custom", "deploy": "custom"}[name]
		if got := d.Offers(agent.Tool{Source: source, Name: name}); got != want {
			t.Errorf("Offers(%s) = %v, want %v", name, got, want)
		}
	}
	if d.ModelOr("m") != "small" || d.EffortOr("high") != "low" {
		t.Errorf("it runs on %s, %s", d.ModelOr("m"), d.EffortOr("high"))
	}
	if got, want := d.Instructions("SKILL"), "<agent_instructions>\ndo\n\nSKILL\n</agent_instructions>"; got != want {
		t.Errorf("Instructions = %q, want %q", got, want)
	}
	d.Tools = []string{}
	if d.Offers(agent.Tool{Source: "builtin", Name: "view"}) {
		t.Error("an empty list of tools offers one")
	}
}

func TestRoster(t *testing.T) {
	var r agent.Roster
	reviewer := wire.CustomAgent{Name: "reviewer", Prompt: "Review."}
	for _, step := range []struct {
		name    string
		cfg     wire.Config
		main    string // name and what it excludes
		defined int
		fails   bool
	}{
		{"nothing", wire.Config{}, " []", 0, false},
		{"defined and not chosen", wire.Config{CustomAgents: []wire.CustomAgent{reviewer}}, " []", 1, false},
		{"chosen later", wire.Config{Agent: "reviewer"}, "reviewer []", 1, false},
		{"excluded tools hold for the main agent", wire.Config{DefaultAgent: &wire.DefaultAgent{ExcludedTools: []string{"bash"}}}, "reviewer [bash]", 1, false},
		{"an unknown agent changes nothing", wire.Config{CustomAgents: []wire.CustomAgent{}, Agent: "nobody"}, "reviewer [bash]", 1, true},
		{"a chosen agent stays when the list goes", wire.Config{CustomAgents: []wire.CustomAgent{}}, "reviewer [bash]", 0, false},
	} {
		err := r.Configure(step.cfg, nil)
		if got := fmt.Sprint(r.Main.Name, " ", r.Main.ExcludedTools); got != step.main || len(r.Defined) != step.defined {
			t.Errorf("%s: main agent is %s, %d are defined; want %s, %d", step.name, got, len(r.Defined), step.main, step.defined)
		}
		if (err != nil) != step.fails || err != nil && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}

func TestASessionWithoutAgentsOfItsOwnSharesTheBuiltinOnes(t *testing.T) {
	var r agent.Roster
	if n := testing.AllocsPerRun(100, func() { r.All(nil) }); n != 0 {
		t.Errorf("All allocates %v times, want 0: it is called many times in each turn", n)
	}
	r.SetPrompt(agent.Explore, "Look around.")
	if d, _ := r.Find(agent.Explore, nil); d.Prompt != "Look around." {
		t.Errorf("the instructions are %q", d.Prompt)
	}
	var other agent.Roster
	if d, _ := other.Find(agent.Explore, nil); d.Prompt == "Look around." {
		t.Error("the instructions of one session are those of another")
	}
}
