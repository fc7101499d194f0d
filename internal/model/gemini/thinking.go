package gemini

import (
	"regexp"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// named finds the version in names such as gemini-3.8-flash and gemini-4-argon.
var named = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`gemini-(\d)(?:\.(\d))?(?:$|\D)`)
}}

// versionOf returns the version of a model, times ten, 0 if it is not a Gemini model.
func versionOf(name string) int {
	m := named.Get().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi("0" + m[2])
	return 10*major + minor
}

// Versions at which the parameters changed. Source: Google's pages on thinking, 2026-11.
const (
	thinks = 25 // models that think, by a budget
	levels = 30 // by a level, and they sign their calls
)

// The levels and budgets of efforts. A model has no more levels than these.
var (
	levelOf = lazy.Value[map[string]string]{Make: func() map[string]string {
		return map[string]string{"minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}
	}}
	budgetOf = lazy.Value[map[string]int]{Make: func() map[string]int {
		return map[string]int{"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 24_576}
	}}
)

// TakesEffort reports whether an effort makes a difference to a model.
func TakesEffort(name, effort string) bool {
	version := versionOf(name)
	_, budget := budgetOf.Get()[effort]
	return version >= levels && levelOf.Get()[effort] != "" || version >= thinks && version < levels && budget
}

// EffortOf is the word that stands for an effort in the requests of a model: its thinking level. It is
// the effort itself for a model that has budgets instead of levels.
func EffortOf(name, effort string) string {
	if level := levelOf.Get()[effort]; level != "" && versionOf(name) >= levels {
		return level
	}
	return effort
}

// appendThinking says how much the model thinks and whether it shows that, as a member with a
// comma after it.
func appendThinking(b []byte, r *model.Request, name string) []byte {
	version := versionOf(name)
	if version < thinks {
		return b
	}
	b = strconv.AppendBool(append(b, `"thinkingConfig":{"includeThoughts":`...), r.ReasoningSummary != "none")
	if level := levelOf.Get()[r.ReasoningEffort]; level != "" && version >= levels {
		b = wire.AppendString(append(b, `,"thinkingLevel":`...), level)
	}
	if budget, ok := budgetOf.Get()[r.ReasoningEffort]; ok && version < levels {
		b = strconv.AppendInt(append(b, `,"thinkingBudget":`...), int64(budget), 10)
	}
	return append(b, "},"...)
}
