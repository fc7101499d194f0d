package agent_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/agent"
)

func TestTheWordsOfOtherProgramsForModels(t *testing.T) {
	anthropic := []agent.Listed{
		{ID: "claude-3-5-haiku-20241022"},
		{ID: "claude-haiku-4-5-20251001", Name: "Claude Haiku 4.5"},
		{ID: "claude-opus-4-20250514"},
		{ID: "claude-opus-4-1-20250805"},
		{ID: "claude-sonnet-4-5-20250929-thinking"},
		{ID: "claude-sonnet-4-5-20250929"},
	}
	bedrock := []agent.Listed{{ID: "us.anthropic.claude-sonnet-4-20250514-v1:0"}, {ID: "anthropic.claude-sonnet-4-5-20250929-v1:0"}}
	copilot := []agent.Listed{{ID: "gpt-5", Name: "GPT-5"}, {ID: "claude-sonnet-4.5", Name: "Claude Sonnet 4.5"}, {ID: "claude-sonnet-4", Name: "Claude Sonnet 4"}}
	for _, tc := range []struct {
		name   string
		chosen map[string]string
		listed []agent.Listed
		want   string
		found  bool
	}{
		{name: "", found: true},
		{name: "inherit", listed: anthropic, found: true},
		{name: "Default", listed: anthropic, found: true},
		{name: "qwen3:8b", want: "qwen3:8b", found: true},
		{name: "haiku", listed: anthropic, want: "claude-haiku-4-5-20251001", found: true},
		{name: "Opus", listed: anthropic, want: "claude-opus-4-1-20250805", found: true},
		{name: "sonnet[1m]", listed: anthropic, want: "claude-sonnet-4-5-20250929", found: true},
		{name: "sonnet", listed: bedrock, want: "anthropic.claude-sonnet-4-5-20250929-v1:0", found: true},
		{name: "sonnet", listed: copilot, want: "claude-sonnet-4.5", found: true},
		{name: "sonnet", chosen: map[string]string{"sonnet": "mine"}, listed: copilot, want: "mine", found: true},
		{name: "fable", listed: anthropic},
		{name: "haiku", listed: []agent.Listed{{ID: "haiku-writer"}}},
		{name: "opusplan", listed: anthropic},
		{name: "GPT-5 (copilot)", listed: copilot, want: "gpt-5", found: true},
		{name: "Claude Sonnet 4 (copilot)", listed: copilot, want: "claude-sonnet-4", found: true},
		{name: "GPT-9 (copilot)", listed: copilot},
		{name: agent.ModelList([]string{"GPT-9 (copilot)", "Claude Sonnet 4.5 (copilot)", "GPT-5"}), listed: copilot, want: "claude-sonnet-4.5", found: true},
		{name: agent.ModelList([]string{"gpt-9", "gpt-5"}), listed: copilot, want: "gpt-5", found: true},
		{name: agent.ModelList([]string{"gpt-9", "gpt-5"})}, // the list of the provider has to be read
		{name: agent.ModelList([]string{"gpt-9", "gpt-8"}), listed: copilot},
	} {
		if id, found := agent.FindModel(tc.name, tc.chosen, tc.listed); id != tc.want || found != tc.found {
			t.Errorf("%q is %q, %v, want %q, %v", tc.name, id, found, tc.want, tc.found)
		}
	}
}
