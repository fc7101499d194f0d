package effects_test

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// What sets a trap writes, so a user who has only allowed reading is asked about it.
func TestTrapsAreAskedAbout(t *testing.T) {
	none, seen := rules(t), map[string]bool{}
	for _, trap := range effectstest.Traps() {
		name := trap.Before + trap.Name()
		if seen[name] {
			t.Errorf("%s is in the corpus twice", name)
		}
		seen[name] = true
		if trap.Source == "" {
			t.Errorf("%s has no source", name)
		}
		asked := slices.ContainsFunc(trap.Steps(), func(step string) bool {
			got, _ := decide(t, none, step)
			return got.Verdict != permit.Allow
		})
		if !asked && len(trap.Files) == 0 {
			t.Errorf("%s (%s) is allowed without any rule", name, trap.Source)
		}
	}
	if n := len(seen); n < 200 {
		t.Errorf("there are only %d traps", n)
	}
}
