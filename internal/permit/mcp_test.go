package permit_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// GitHub's server has two names. A deny rule for one of them is a rule for the other. An allow rule is that only for
// the server that this program has added: a project can call a server of its own by either name.
func TestARuleForEitherNameOfGitHubsServer(t *testing.T) {
	for _, server := range []string{"github", "github-mcp-server"} {
		query := permit.Request{Kind: permit.MCP, Tool: server + "-get_me", Server: server, ServerTool: "get_me"}
		own := query
		own.OwnServer = true
		for rule, names := range map[string]string{
			"mcp(github)": "github", "mcp(github-mcp-server(get_me))": "github-mcp-server", "github": "github",
			"github-mcp-server-get_me": "github-mcp-server", "github-get_me": "github",
		} {
			if d := parse(t, "deny "+rule, "mcp").Decide(query); d.Verdict != permit.Deny {
				t.Errorf("%s of %s with the deny rule %s: %v", query.Tool, server, rule, d.Verdict)
			}
			if d := parse(t, rule).Decide(own); d.Verdict != permit.Allow {
				t.Errorf("%s of our server %s with the rule %s: %v", query.Tool, server, rule, d.Verdict)
			}
			if d := parse(t, rule).Decide(query); (d.Verdict == permit.Allow) != (names == server) {
				t.Errorf("%s of a project's server %s with the rule %s: %v", query.Tool, server, rule, d.Verdict)
			}
		}
		if d := parse(t, "mcp(github-evil)", "github-mcp-server-other").Decide(own); d.Verdict != permit.Ask {
			t.Errorf("%s with rules for others: %v", query.Tool, d.Verdict)
		}
	}
}

func TestRulesForServers(t *testing.T) {
	query := permit.Request{Kind: permit.MCP, Tool: "db-query", Server: "db", ServerTool: "query"}
	for _, tc := range []struct {
		allow, deny string
		want        permit.Verdict
	}{
		{"", "", permit.Ask},
		{"mcp", "", permit.Allow},
		{"mcp(db)", "", permit.Allow},
		{"mcp(db(query))", "", permit.Allow},
		{"mcp(db(drop))", "", permit.Ask},
		{"mcp(query)", "", permit.Ask},
		{"db", "", permit.Allow},
		{"db-query", "", permit.Allow},
		{"query", "", permit.Ask},
		{"custom-tool", "", permit.Ask},
		{"mcp", "mcp(db(query))", permit.Deny},
		{"mcp", "db", permit.Deny},
		{"mcp", "mcp(db(drop))", permit.Allow},
		{"shell", "shell", permit.Ask},
	} {
		r := permit.Rules{}
		for text, list := range map[string]*[]permit.Rule{tc.allow: &r.Allow, tc.deny: &r.Deny} {
			if text == "" {
				continue
			}
			rule, err := permit.ParseRule(text)
			if err != nil {
				t.Fatal(err)
			}
			*list = append(*list, rule)
			if read, err := permit.ParseRule(rule.String()); err != nil || !read.Same(rule) {
				t.Errorf("%s is written %s, and read as %v, %v", text, rule, read, err)
			}
		}
		if d := r.Decide(query); d.Verdict != tc.want {
			t.Errorf("allow %q, deny %q: %v (%s), want %v", tc.allow, tc.deny, d.Verdict, d.Why, tc.want)
		}
	}
	if _, err := permit.ParseRule("mcp(db*)"); err == nil {
		t.Error("a pattern is a rule")
	}
	if rules := (permit.Rules{}).Covering(query); len(rules) != 1 || rules[0].String() != "mcp(db(query))" {
		t.Errorf("an approval covers %v", rules)
	}
	if m := (permit.Rules{}).Missing(query, nil); len(m.Rules) != 1 || m.Rules[0].String() != "mcp(db(query))" {
		t.Errorf("missing is %+v", m)
	}
}
