package agent

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Roster holds the agents of a session. The zero value has only the default agent.
type Roster struct {
	// Defined are the agents that a client configured, in its order.
	Defined []Definition
	// Main is the agent of the session's main conversation.
	Main Definition

	excluded []string // tools that the client's defaultAgent excludes, for every main agent
}

// Configure applies the agents of a client's configuration; absent fields stay unchanged. If
// the configuration chooses an agent that it does not define, Configure returns
// [fault.NotFound] and changes nothing.
func (r *Roster) Configure(cfg wire.Config) error {
	next := *r
	if cfg.CustomAgents != nil {
		next.Defined = nil
		for _, a := range cfg.CustomAgents {
			next.Defined = append(next.Defined, FromClient(a))
		}
	}
	if cfg.DefaultAgent != nil {
		next.excluded = cfg.DefaultAgent.ExcludedTools
	}
	if cfg.Agent != "" {
		i := slices.IndexFunc(next.Defined, func(d Definition) bool { return d.Name == cfg.Agent })
		if i < 0 {
			return fault.New(fault.NotFound, "session", cfg.SessionID, "there is no agent %q among customAgents", cfg.Agent)
		}
		next.Main = next.Defined[i]
	}
	next.Main.ExcludedTools = next.excluded
	*r = next
	return nil
}
