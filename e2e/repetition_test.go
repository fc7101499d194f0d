package e2e_test

import (
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/repetition"
)

// TestNoRecordedAnswerRepeatsItself feeds every message and all arguments that were recorded of real models.
func TestNoRecordedAnswerRepeatsItself(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("the recordings are not here (%s); they are test data of the developers", recordings)
	}
	for name, rec := range load(t) {
		for _, talk := range rec.Conversations {
			for _, m := range talk {
				var d repetition.Detector
				if d.Feed(m.Content) {
					t.Errorf("%s: a message is stopped after %d bytes", name, d.Keep())
				}
				for _, c := range m.ToolCalls {
					d := repetition.Detector{Data: true}
					if d.Feed(c.Arguments) {
						t.Errorf("%s: arguments are stopped after %d bytes", name, d.Keep())
					}
				}
			}
		}
	}
}
