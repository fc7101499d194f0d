//go:build local

package local

import (
	"strings"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// A small model without any chance in its sampling falls into a loop that nothing in the server ends: it has 4,000 tokens
// to go on. The answer is stopped after its first copies, the model is told once, and after the second such answer the run
// ends. Then the slot is free.
func TestALoopIsStopped(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 4000, NeverEnds: true})
	s := create(t, start(t, t.TempDir()), copilot.SessionConfig{
		Provider:      m.provider(),
		SystemMessage: &copilot.SystemMessageConfig{Mode: "replace", Content: "You repeat what you are given."},
	})
	began := time.Now()
	s.ask("Repeat this line for ever: The end of the task.")
	took := time.Since(began)
	stopped := 0
	for _, w := range all[*copilot.SessionWarningData](s) {
		if w.WarningType == "incomplete_answer" && strings.HasPrefix(w.Message, "The answer was repeating itself and was stopped.") {
			stopped++
		}
	}
	answers := all[*copilot.AssistantMessageData](s)
	if stopped != 2 || len(answers) != 2 {
		t.Fatalf("%d of %d answers were stopped:\n%s", stopped, len(answers), s.told())
	}
	for i, a := range answers {
		if n := strings.Count(a.Content, "The end of the task."); len(a.Content) > 1000 || n > 40 {
			t.Errorf("answer %d has %d bytes:\n%s", i+1, len(a.Content), a.Content)
		}
	}
	freed := time.Now()
	for m.busy() {
		if time.Since(freed) > 10*time.Second {
			t.Fatal("the server still works on an answer that was stopped")
		}
	}
	t.Logf("two loops were stopped within %v; the answers have %d and %d bytes", took.Round(time.Millisecond), len(answers[0].Content), len(answers[1].Content))
}
