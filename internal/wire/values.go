package wire

import (
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// PrecedenceExcluded is the toolFilterPrecedence by which tools that are excluded are not available.
const PrecedenceExcluded = "excluded"

// oneOf is a setting that has one of a few values.
type oneOf struct {
	name  string
	value func(Config) string
	known []string
}

// choices are the settings of a create, a resume and an update that would silently have their default if
// their value were not known.
var choices = []oneOf{
	{"toolFilterPrecedence", func(c Config) string { return c.FilterPrecedence }, []string{"available", PrecedenceExcluded}},
	{"envValueMode", func(c Config) string { return c.EnvValueMode }, []string{"direct", "indirect"}},
	{"systemMessage.mode", func(c Config) string {
		if c.SystemMessage == nil {
			return ""
		}
		return c.SystemMessage.Mode
	}, []string{"append", "replace", "customize"}},
}

// notNegative is a setting that is a number of at least 0.
type notNegative struct {
	name  string
	value func(Config) float64
}

// numbers are the settings whose number would silently mean no limit, or the default, if it were negative.
var numbers = []notNegative{
	{"sessionLimits.maxAiCredits", func(c Config) float64 { return valueOf(c.SessionLimits).MaxAICredits }},
	{"budget.maxTurns", func(c Config) float64 { return float64(valueOf(c.Budget).MaxTurns) }},
	{"budget.maxTokens", func(c Config) float64 { return float64(valueOf(c.Budget).MaxTokens) }},
	{"budget.timeoutMs", func(c Config) float64 { return float64(valueOf(c.Budget).TimeoutMs) }},
	{"autopilot.maxContinues", func(c Config) float64 { return float64(valueOf(valueOf(c.Autopilot).MaxContinues)) }},
	{"largeOutput.maxSizeBytes", func(c Config) float64 { return float64(valueOf(c.LargeOutput).MaxSizeBytes) }},
	{"toolSearch.deferThreshold", func(c Config) float64 { return float64(valueOf(valueOf(c.ToolSearch).DeferThreshold)) }},
	{"provider.maxPromptTokens", func(c Config) float64 { return float64(valueOf(c.Provider).MaxPromptTokens) }},
	{"provider.maxOutputTokens", func(c Config) float64 { return float64(valueOf(c.Provider).MaxOutputTokens) }},
}

// valueOf is what p points to; nil: the zero value.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// CheckValues refuses values that a setting of a configuration does not have, and sections of a system message
// that would be lost. invalid makes the error.
func (cfg Config) CheckValues(invalid func(format string, args ...any) error) error {
	for _, c := range choices {
		if v := c.value(cfg); v != "" && !slices.Contains(c.known, v) {
			return invalid("%s is %q, want one of %q", c.name, fault.Bounded(v), c.known)
		}
	}
	for _, l := range numbers {
		if v := l.value(cfg); v < 0 {
			return invalid("%s is %g, want at least 0", l.name, v)
		}
	}
	set := valueOf(cfg.SystemMessage)
	if len(set.Sections) > 0 && set.Mode != "customize" {
		return invalid("systemMessage.sections need the mode \"customize\"; without it, they would have no effect")
	}
	for _, id := range slices.Sorted(maps.Keys(set.Sections)) {
		if a := set.Sections[id].Action; a == "" {
			return invalid("systemMessage.sections[%q] has no action", fault.Bounded(id))
		}
	}
	return nil
}
