package wiring

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// The table of facts has a row for each tool that a session gets, and no other; and a tool that asks for
// permission is one that the table does not call trusted.
func TestFactsHaveEveryTool(t *testing.T) {
	var rows []string
	for _, f := range fact.All() {
		if !f.Foreign {
			rows = append(rows, f.Name)
		}
	}
	box := Toolbox(config.Config{}, SandboxHost(config.Config{}, nil), nil)(noSession{})
	defer box.Close()
	for _, b := range box.Tools {
		name := b.Definition().Name
		i := slices.Index(rows, name)
		if i < 0 {
			t.Errorf("package fact has no row for %s: say there what it does, and whether a replay runs it", name)
			continue
		}
		rows = slices.Delete(rows, i, i+1)
		if _, asks := b.(tool.Asker); asks == fact.Of(name).Trusted {
			t.Errorf("%s: it asks for permission: %v, and package fact calls it trusted: %v", name, asks, fact.Of(name).Trusted)
		}
		if _, small := tool.Small(b.Definition()); small != fact.Of(name).Small {
			t.Errorf("%s is in the small set: %v, but package fact says otherwise", name, small)
		}
	}
	for _, name := range rows {
		t.Errorf("package fact has a row for %s, which no session has", name)
	}
}

// The kinds of rules in the table are those of package permit, which has the same words.
func TestFactsNameKindsOfRules(t *testing.T) {
	for _, f := range fact.All() {
		for _, name := range f.Skills {
			if kind, ok := permit.ToolKind(name); !ok || string(kind) != f.Rule {
				t.Errorf("a skill that names %s gets the rule %q, want %q", name, kind, f.Rule)
			}
		}
		if rule, err := permit.ParseRule(f.Rule); f.Rule != "" && (err != nil || rule.Kind == permit.CustomTool) {
			t.Errorf("the rule %q of %s is not one of permit: %v, %v", f.Rule, f.Name, rule, err)
		}
	}
}
