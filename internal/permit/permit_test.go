package permit_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

func TestDecide(t *testing.T) {
	custom := permit.Request{Kind: permit.CustomTool, Tool: "deploy"}
	for _, tc := range []struct {
		name    string
		rules   permit.Rules
		request permit.Request
		want    permit.Verdict
	}{
		{"nothing is allowed by default", permit.Rules{}, custom, permit.Ask},
		{"yolo allows everything", permit.Rules{All: true}, custom, permit.Allow},
		{"a client may vouch for its tool", permit.Rules{}, permit.Request{Kind: permit.CustomTool, Tool: "x", Trusted: true}, permit.Allow},
		{"an approval counts for its tool", permit.Rules{}.Allowing("deploy"), custom, permit.Allow},
		{"and for no other", permit.Rules{}.Allowing("deploy-all"), custom, permit.Ask},
		{"and for no other kind", permit.Rules{}.Allowing("deploy"), permit.Request{Kind: "shell", Tool: "deploy"}, permit.Ask},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.rules.Decide(tc.request); got.Verdict != tc.want || got.Why == "" {
				t.Errorf("Decide(%+v) = %v (%q), want %v with a reason", tc.request, got.Verdict, got.Why, tc.want)
			}
		})
	}
}

func TestAllowingLeavesTheOldRulesAlone(t *testing.T) {
	base := permit.Rules{Tools: make([]string, 0, 4)}
	a, b := base.Allowing("a"), base.Allowing("b")
	if len(base.Tools) != 0 || a.Tools[0] != "a" || b.Tools[0] != "b" {
		t.Errorf("base %v, a %v, b %v: they share memory", base.Tools, a.Tools, b.Tools)
	}
}
