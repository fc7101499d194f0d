package anthropic

import (
	"slices"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// TakesEffort reports whether an effort makes a difference to a model. Newer models cannot be told
// not to think; older ones, and those of other vendors, have a budget for each effort that there
// is, and the provider decides on all others.
func TakesEffort(name, effort string) bool {
	switch g := model.ClaudeOf(name); {
	case effort == "none":
		return g < model.ClaudeCannotStop
	case g >= model.ClaudeAdaptive:
		return true
	}
	return slices.Contains([]string{"minimal", "low", "medium", "high", "xhigh", "max"}, effort)
}

// appendThinking says how much the model thinks, and how much it shows of it. limit is the
// bound on the answer, which thinking counts towards.
func appendThinking(b []byte, r *model.Request, name string, limit int) []byte {
	g := model.ClaudeOf(name)
	effort := r.ReasoningEffort
	switch {
	case effort == "none" && g >= model.ClaudeAdaptive && g < model.ClaudeCannotStop:
		return append(b, `,"thinking":{"type":"disabled"}`...)
	case effort == "none" || effort == "" && g < model.ClaudeAlwaysThinks:
		return b
	case g >= model.ClaudeAdaptive:
		b = append(b, `,"thinking":{"type":"adaptive"`...)
		if r.ReasoningSummary != "none" {
			b = append(b, `,"display":"summarized"`...)
		}
		return append(b, '}')
	}
	budget := min(model.ThinkingBudget(effort), limit-1)
	if budget < 1024 {
		return b
	}
	b = strconv.AppendInt(append(b, `,"thinking":{"type":"enabled","budget_tokens":`...), int64(budget), 10)
	return append(b, '}')
}

// appendOutput says how much effort an answer is worth, and its form.
func appendOutput(b []byte, r *model.Request, name string) []byte {
	effort := r.ReasoningEffort
	if model.ClaudeOf(name) < model.ClaudeAdaptive || effort == "none" {
		effort = ""
	}
	if effort == "" && r.Format == nil {
		return b
	}
	b = append(b, `,"output_config":{`...)
	if effort != "" {
		b = append(wire.AppendString(append(b, `"effort":`...), effort), ',')
	}
	if r.Format != nil {
		b = append(append(append(b, `"format":{"type":"json_schema","schema":`...), model.ClaudeFormat(r.Format.Schema)...), "},"...)
	}
	b[len(b)-1] = '}'
	return b
}
