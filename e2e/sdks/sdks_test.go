package sdks_test

import (
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

const (
	question = "How is the weather in Rome and in Oslo?"
	thought  = "Two cities, so two calls."
	rome     = `{"city":"Rome"}`
	oslo     = `{"city":"Oslo"}`
	answer   = "Sunny in Rome, and 雨 in Oslo."
)

// weather is the schema of the one tool.
var weather = map[string]any{
	"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
}

// conversation is two calls of a tool, and then the answer.
func conversation() []strict.Reply {
	calls := strict.Use(strict.Call{Name: "weather", Arguments: rome}, strict.Call{Name: "weather", Arguments: oslo})
	calls.Parts = append([]strict.Part{{Reasoning: thought}}, calls.Parts...)
	calls.Usage = strict.Usage{Input: 10, CacheRead: 4, CacheWrite: 3, Output: 5, Reasoning: 2}
	return []strict.Reply{calls, strict.Say(answer)}
}

// begin starts a fake with a script, until the test ends. At the end it must have refused nothing
// but what matches refused.
func begin(t *testing.T, v strict.Vendor, script []strict.Reply, refused ...string) *strict.Server {
	t.Helper()
	s := strict.New(v, script...)
	t.Cleanup(func() {
		s.Close()
		if got := s.Refused(); !slices.Equal(got, refused) {
			t.Errorf("the fake refused %q, want %q", got, refused)
		}
		if s.Left() > 0 && len(refused) == 0 {
			t.Errorf("%d replies are left", s.Left())
		}
	})
	return s
}

// called checks the calls that an SDK has read.
func called(t *testing.T, arguments ...string) {
	t.Helper()
	if !slices.Equal(arguments, []string{rome, oslo}) {
		t.Errorf("the SDK read calls with %q", arguments)
	}
}

func said(t *testing.T, text string) {
	t.Helper()
	if text != answer {
		t.Errorf("the SDK read %q, want %q", text, answer)
	}
}
