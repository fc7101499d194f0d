package bedrock

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// caches reports whether a model accepts marks in the prompt; others refuse them. Of the Claude
// models, those before 3.5 and the first 3.5 do not. An ARN that names no model counts as one
// that does not.
// Source: Bedrock's page on prompt caching, 2026-11.
func caches(name string) bool {
	return isNova(name) || model.ClaudeOf(name) >= 40 || strings.Contains(name, "claude-3-7-") || strings.Contains(name, "claude-3-5-haiku") || strings.Contains(name, "claude-3-5-sonnet-20241022")
}

func isNova(name string) bool    { return strings.Contains(name, "amazon.nova-") }
func isMistral(name string) bool { return strings.Contains(name, "mistral.") }
func isClaude(name string) bool  { return strings.Contains(name, "anthropic.claude") }

// budgetLimit bounds an answer of a Claude model that thinks within a budget, if nothing else
// does: the budget has to be lower than the bound.
const budgetLimit = 64_000

// thinkingBudget is the budget of an older Claude model at an effort, 0 for none.
func thinkingBudget(r *model.Request, name string, limit int) int {
	if !isClaude(name) || model.ClaudeOf(name) >= model.ClaudeAdaptive || r.ReasoningEffort == "" || r.ReasoningEffort == "none" {
		return 0
	}
	if limit == 0 {
		limit = budgetLimit
	}
	if budget := min(model.ThinkingBudget(r.ReasoningEffort), limit-1); budget >= 1024 {
		return budget
	}
	return 0
}

// appendFamily appends the fields that only models of one vendor have, which say how much a
// model thinks. Models of other vendors get the word of OpenAI.
// Source: the pages of AWS on Claude's thinking and on Nova 2, and vercel/ai#11467 for the rest.
func appendFamily(b []byte, r *model.Request, name string, limit int) []byte {
	g, effort := model.ClaudeOf(name), r.ReasoningEffort
	fields := func(text string) []byte {
		return append(append(append(b, `,"additionalModelRequestFields":{`...), text...), '}')
	}
	switch {
	case isClaude(name) && effort == "none" && g >= model.ClaudeAdaptive && g < model.ClaudeCannotStop:
		return fields(`"thinking":{"type":"disabled"}`)
	case isClaude(name) && (effort == "none" || effort == "" && g < model.ClaudeAlwaysThinks):
		return b
	case isClaude(name) && g >= model.ClaudeAdaptive && r.ReasoningSummary == "none":
		return fields(`"thinking":{"type":"adaptive"}`)
	case isClaude(name) && g >= model.ClaudeAdaptive:
		return fields(`"thinking":{"type":"adaptive","display":"summarized"}`)
	case isClaude(name):
		if budget := thinkingBudget(r, name, limit); budget > 0 {
			return fields(`"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}`)
		}
		return b
	case effort == "":
		return b
	case isNova(name) && effort == "none":
		return fields(`"reasoningConfig":{"type":"disabled"}`)
	case isNova(name):
		return fields(`"reasoningConfig":{"type":"enabled","maxReasoningEffort":` + string(wire.AppendString(nil, effort)) + `}`)
	}
	return fields(`"reasoning_effort":` + string(wire.AppendString(nil, effort)))
}
