package e2e_test

import (
	"fmt"
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
				if stops(&d, m.Content) {
					t.Errorf("%s: a message is stopped after %d bytes", name, d.Keep())
				}
				d.Free()
				for _, c := range m.ToolCalls {
					d := repetition.Detector{Data: true}
					if stops(&d, c.Arguments) {
						t.Errorf("%s: arguments are stopped after %d bytes", name, d.Keep())
					}
					d.Free()
				}
			}
		}
	}
}

// stops reports whether a text is stopped that comes byte by byte.
func stops(d *repetition.Detector, text string) bool {
	for i := range len(text) {
		if d.Feed(text[i : i+1]) {
			return true
		}
	}
	return false
}

// TestNoRecordedCallsRepeatThemselves looks in all recordings for answers in a row with the same calls and results.
// Two are the most; the third would be told to the model.
func TestNoRecordedCallsRepeatThemselves(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("the recordings are not here (%s); they are test data of the developers", recordings)
	}
	calls := 0
	for name, rec := range load(t) {
		for _, talk := range rec.Conversations {
			results := map[string]string{}
			for _, m := range talk {
				if m.Role == "tool" {
					results[m.ToolCallID] = m.Content
				}
			}
			last, times := "", 0
			for _, m := range talk {
				if m.Role != "assistant" {
					continue
				}
				round := ""
				for _, c := range m.ToolCalls {
					calls++
					round += fmt.Sprintf("%s %s %s\n", c.Name, c.Arguments, results[c.ID])
				}
				if round != last {
					last, times = round, 0
				}
				if times++; round != "" && times > 2 {
					t.Errorf("%s: %d times in a row %s", name, times, round)
				}
			}
		}
	}
	if calls < 300 {
		t.Errorf("only %d calls in the recordings", calls)
	}
}
