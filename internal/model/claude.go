package model

import (
	"regexp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// ClaudeGeneration is the version of a Claude model, times ten: 45 for 4.5. Two dialects have
// these models: Anthropic's Messages and Bedrock.
type ClaudeGeneration int

// Generations at which the parameters changed.
// Source: the model pages of Anthropic's documentation, 2026-11.
const (
	ClaudeAdaptive     ClaudeGeneration = 46 // thinks as much as it needs; a budget is refused from 4.7 on
	ClaudeAlwaysThinks ClaudeGeneration = 50 // unless it is switched off, and shows nothing of it unless asked
	ClaudeCannotStop   ClaudeGeneration = 51 // refuses to be switched off
)

// claudeNames finds the version in names such as claude-opus-5-5, claude-sonnet-4.5 and
// claude-haiku-4-5-20251001, also behind a vendor.
var claudeNames = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(?:fable|mythos|opus|sonnet|haiku)-(\d)(?:[-.](\d))?(?:$|[^\d])`)
}}

// ClaudeOf returns the generation of a model, 0 if it is not a Claude model of a known name.
func ClaudeOf(name string) ClaudeGeneration {
	m := claudeNames.Get().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi("0" + m[2])
	return ClaudeGeneration(10*major + minor)
}

// ThinkingBudget is how many tokens a model may think at an effort, where the protocol has
// numbers instead of words. Source: what public clients send; no less than 1,024 is accepted.
func ThinkingBudget(effort string) int {
	switch effort {
	case "minimal":
		return 1024
	case "low":
		return 4096
	case "high":
		return 20_000
	case "xhigh":
		return 32_000
	case "max":
		return 48_000
	}
	return 10_000
}
