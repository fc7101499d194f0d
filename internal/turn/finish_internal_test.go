package turn

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// A call is not made if its answer was blocked, or was cut off before its arguments were whole.
func TestCallsOfIncompleteAnswers(t *testing.T) {
	const whole, cut = `{"a":1}`, `{"a":`
	for _, tc := range []struct {
		name   string
		finish model.Finish
		args   string
		last   bool
		want   string // a part of the result; "" for a call that is made
	}{
		{"a complete answer", model.FinishToolCalls, cut, true, ""},
		{"the last call, cut off", model.FinishLength, cut, true, "token limit"},
		{"the last call, before its arguments", model.FinishLength, "", true, "token limit"},
		{"the last call, whole", model.FinishLength, whole, true, ""},
		{"an earlier call", model.FinishLength, whole, false, ""},
		{"the window is full", model.FinishWindow, cut, true, "context window"},
		{"refused", model.FinishRefusal, whole, false, "stopped"},
		{"filtered", model.FinishFilter, whole, true, "stopped"},
		{"broken off", model.FinishFailed, cut, true, "ended before"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Unfit(tc.finish, model.ToolCall{Arguments: tc.args}, tc.last)
			if got == nil != (tc.want == "") || got != nil && !strings.Contains(got.Text, tc.want) {
				t.Errorf("the result is %+v, want %q", got, tc.want)
			}
		})
	}
}
