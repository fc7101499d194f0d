package provider

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/turn"
)

// A call that is lost has cost what it can have cost.
func TestALostCallCounts(t *testing.T) {
	var u Spending
	u.Spend(turn.Usage{RequestBytes: 700, AnswerBytes: 50, Lost: true})
	if n := u.Total(); n != 750 {
		t.Errorf("it counts as %d tokens, want 750", n)
	}
}
