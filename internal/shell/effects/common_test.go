package effects_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// mayNag is how many of the common commands that only read may still be asked about: four with
// xargs, and "go env", which prints every setting, addresses with passwords included.
const mayNag = 5

func TestCommonCommands(t *testing.T) {
	none := rules(t)
	asked := 0
	for _, command := range effectstest.Common(effectstest.Reads) {
		if got, _ := decide(t, none, command); got.Verdict != permit.Allow {
			asked++
			t.Logf("asked about %q: %s", command, got.Why)
		}
	}
	t.Logf("%d of %d commands that only read are asked about", asked, len(effectstest.Common(effectstest.Reads)))
	if asked > mayNag {
		t.Errorf("%d commands that only read are asked about, more than %d", asked, mayNag)
	}
	for _, class := range []effectstest.Class{effectstest.Builds, effectstest.Leaves} {
		for _, command := range effectstest.Common(class) {
			if got, _ := decide(t, none, command); got.Verdict == permit.Allow {
				t.Errorf("%q is allowed without a rule", command)
			}
		}
	}
}
