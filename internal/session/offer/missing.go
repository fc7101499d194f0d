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

// Missing returns warnings about tools that the file of an agent lists, and about tools that the agent is to be without,
// if no tool matches. offered is what the agent has, and all what it would have without its lists. Tools of the program
// do not count, because it offers some at times only. The error is [fault.NotFound] if no tool at all is offered.
func Missing(def *agent.Definition, offered, all []*Tool) (warnings []wire.Data, err error) {
	if def.Path == "" {
		return nil, nil
	}
	warn := func(before string, names []string) {
		if len(names) > 0 {
			warnings = append(warnings, &wire.SessionWarning{WarningType: "agent_tools", Message: "The agent " + def.Name + before + strings.Join(names, ", ") + "."})
		}
	}
	missing := unmatched(def.Tools, offered, len(offered) == 0)
	if len(missing) > 0 && len(offered) == 0 {
		return nil, fault.New(fault.NotFound, "session", "", "the agent %s has none of its tools here: %s; correct %s", def.Name, strings.Join(missing, ", "), def.Path)
	}
	warn(" does not have all of the tools in its file. The session has none with these names: ", missing)
	excluded := slices.DeleteFunc(slices.Clone(def.ExcludedTools), func(p string) bool { return strings.HasSuffix(p, "*") })
	warn(" is to be without tools that the session does not have, which denies nothing: ", unmatched(excluded, all, false))
	return warnings, nil
}

// unmatched returns the first patterns that match none of the tools. With builtins those of the program count as well.
func unmatched(patterns []string, tools []*Tool, builtins bool) (names []string) {
	for _, pattern := range patterns {
		one := agent.Filter{Available: []string{pattern}}
		matched := slices.ContainsFunc(tools, func(o *Tool) bool { return one.Offers(Named(&o.Definition)) })
		if !matched && (builtins || fact.Of(pattern).Name == "") && len(names) < mostMissing {
			names = append(names, fault.Bounded(pattern))
		}
	}
	return names
}
