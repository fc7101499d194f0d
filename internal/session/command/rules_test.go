package command

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// /rules shows a rule with the characters that nobody sees.
func TestRulesAreShownWhole(t *testing.T) {
	rows := ruleRows(permit.Rules{Allow: []permit.Rule{{Kind: permit.Write, Argument: "a\u00a0b\u3164", From: "flag"}}}, permit.Sandboxing{})
	if want := "  allow   write(a<U+00A0>b<U+3164>)  (flag)"; !slices.Contains(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}

// /rules says which commands the user is not asked about, and which run outside the sandbox.
func TestRulesSayWhatTheSandboxChanges(t *testing.T) {
	s := permit.Sandboxing{On: true, Workspace: true, AutoAllow: true, Excluded: []permit.Rule{{Kind: permit.Shell, Argument: "docker:*", From: "flag --sandbox-exclude"}}}
	got := ruleRows(permit.Rules{}, s)
	want := []string{
		"you are asked about everything that no rule allows, except for commands that stay in the sandbox",
		"  outside shell(docker:*), if it is allowed  (flag --sandbox-exclude)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows are %q, want %q", got, want)
	}
}
