package offer

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// mostMissing bounds what a warning names.
const mostMissing = 20

// Missing returns a warning about tools that the file of an agent lists and that no offered tool matches; nil if there
// are none. Tools of the program do not count, because it offers some at times only. The error is [fault.NotFound] if
// no tool at all is offered.
func Missing(def *agent.Definition, offered []*Tool) (warning wire.Data, err error) {
	missing := missing(def, offered)
	switch names := strings.Join(missing, ", "); {
	case len(missing) == 0:
		return nil, nil
	case len(offered) == 0:
		return nil, fault.New(fault.NotFound, "session", "", "the agent %s has none of its tools here: %s; correct %s", def.Name, names, def.Path)
	default:
		return &wire.SessionWarning{WarningType: "agent_tools", Message: "The agent " + def.Name +
			" does not have all of the tools in its file. The session has none with these names: " + names + "."}, nil
	}
}

// missing returns the first patterns of the tools that Missing names.
func missing(def *agent.Definition, offered []*Tool) (missing []string) {
	if def.Path == "" {
		return nil
	}
	for _, pattern := range def.Tools {
		one := agent.Filter{Available: []string{pattern}}
		matched := slices.ContainsFunc(offered, func(o *Tool) bool {
			return one.Offers(string(o.Definition.Origin), o.Definition.Name, o.Definition.Server)
		})
		if !matched && (len(offered) == 0 || fact.Of(pattern).Name == "") && len(missing) < mostMissing {
			missing = append(missing, fault.Bounded(pattern))
		}
	}
	return missing
}
