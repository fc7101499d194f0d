package agent

import (
	"cmp"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Limits bounds the sub-agents of a session. A zero field is the default.
type Limits struct {
	// Depth is how deep sub-agents may be nested: 1 lets only the main agent start some.
	Depth int
	// Running is how many sub-agents may run at the same time.
	Running int
	// Total is how many sub-agents may be started until the session is idle.
	Total int
}

// The defaults of [Limits]. They are far above what models use, and keep a model that
// delegates in circles from running for ever.
const (
	DefaultDepth   = 3
	DefaultRunning = 16
	DefaultTotal   = 200
)

// OrDefaults returns the limits with the default for each zero field.
func (l Limits) OrDefaults() Limits {
	return Limits{cmp.Or(l.Depth, DefaultDepth), cmp.Or(l.Running, DefaultRunning), cmp.Or(l.Total, DefaultTotal)}
}

// Override is what a user or a client sets for the sub-agents of one definition; empty fields
// change nothing.
type Override struct{ Model, ReasoningEffort string }

// Overrides are the settings of a client for the sub-agents of a session. The zero value
// changes nothing.
type Overrides struct {
	Agents   map[string]Override // by the name of the agent
	Disabled []string            // agents that cannot be started
	Depth    int                 // as in [Limits]; 0: unchanged
	Running  int
	// Ignored are the settings that the client sent and that have no effect, in the words of the
	// protocol.
	Ignored []string
}

// OverridesOf returns the overrides that a client sent; nil: none.
func OverridesOf(s *wire.SubagentSettings) Overrides {
	if s == nil {
		return Overrides{}
	}
	o := Overrides{Disabled: s.DisabledSubagents}
	for name, entry := range s.Agents {
		if o.Agents == nil {
			o.Agents = map[string]Override{}
		}
		var a Override
		if entry.Model != nil {
			a.Model = *entry.Model
		}
		if entry.EffortLevel != nil {
			a.ReasoningEffort = *entry.EffortLevel
		}
		o.Agents[name] = a
		for field, sent := range map[string]bool{
			"contextTier": entry.ContextTier != nil, "modelPolicy": entry.ModelPolicy != nil, "autoInvoke": entry.AutoInvoke != nil,
		} {
			if sent {
				o.Ignored = append(o.Ignored, name+"."+field)
			}
		}
	}
	slices.Sort(o.Ignored)
	if s.MaxDepth != nil {
		o.Depth = int(*s.MaxDepth)
	}
	if s.MaxConcurrency != nil {
		o.Running = int(*s.MaxConcurrency)
	}
	return o
}

// Within returns the limits with those of a client, which can only be stricter.
func (o Overrides) Within(l Limits) Limits {
	l = l.OrDefaults()
	if o.Depth > 0 {
		l.Depth = min(l.Depth, o.Depth)
	}
	if o.Running > 0 {
		l.Running = min(l.Running, o.Running)
	}
	return l
}
