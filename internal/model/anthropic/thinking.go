package anthropic

import (
	"regexp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// generation is the version of a Claude model, times ten: 45 for 4.5.
type generation int

// Generations at which the parameters changed.
// Source: the model pages of Anthropic's documentation, 2026-11.
const (
	adaptive     generation = 46 // thinks as much as it needs; a budget is refused from 4.7 on
	alwaysThinks generation = 50 // unless it is switched off, and shows nothing of it unless asked
	cannotStop   generation = 51 // refuses to be switched off
)

// named finds the version in names such as claude-opus-5-5, claude-sonnet-4.5 and
// claude-haiku-4-5-20251001, also behind a vendor.
var named = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(?:fable|mythos|opus|sonnet|haiku)-(\d)(?:[-.](\d))?(?:$|[^\d])`)
}}

// generationOf returns the generation of a model, 0 if it is not a Claude model of a known
// name: other vendors, whose servers know budgets only.
func generationOf(name string) generation {
	m := named.Get().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi("0" + m[2])
	return generation(10*major + minor)
}

// budgetOf is how many tokens a model may think at an effort, where the protocol has numbers
// in place of words. Source: what public clients send; no less than 1,024 is accepted.
func budgetOf(effort string) int {
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

// appendThinking says how much the model thinks, and how much it shows of it. limit is the
// bound on the answer, which thinking counts towards.
func appendThinking(b []byte, r *model.Request, name string, limit int) []byte {
	g := generationOf(name)
	effort := r.ReasoningEffort
	switch {
	case effort == "none" && g >= adaptive && g < cannotStop:
		return append(b, `,"thinking":{"type":"disabled"}`...)
	case effort == "none" || effort == "" && g < alwaysThinks:
		return b
	case g >= adaptive:
		b = append(b, `,"thinking":{"type":"adaptive"`...)
		if r.ReasoningSummary != "none" {
			b = append(b, `,"display":"summarized"`...)
		}
		return append(b, '}')
	}
	budget := min(budgetOf(effort), limit-1)
	if budget < 1024 {
		return b
	}
	b = strconv.AppendInt(append(b, `,"thinking":{"type":"enabled","budget_tokens":`...), int64(budget), 10)
	return append(b, '}')
}

// appendOutput says how much effort an answer is worth, and its form.
func appendOutput(b []byte, r *model.Request, name string) []byte {
	effort := r.ReasoningEffort
	if generationOf(name) < adaptive || effort == "none" {
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
		b = append(append(append(b, `"format":{"type":"json_schema","schema":`...), r.Format.Schema...), "},"...)
	}
	b[len(b)-1] = '}'
	return b
}
