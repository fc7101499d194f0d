package chat

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// /rules shows a rule with the characters that nobody sees.
func TestRulesAreShownWhole(t *testing.T) {
	rows := ruleRows(permit.Rules{Allow: []permit.Rule{{Kind: permit.Write, Argument: "a\u00a0b\u3164", From: "flag"}}})
	if want := "  allow   write(a<U+00A0>b<U+3164>)  (flag)"; !slices.Contains(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}
