package permit_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

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
