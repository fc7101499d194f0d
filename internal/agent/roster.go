package agent

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Roster is the agents of a session. The zero value has the default agent only.
type Roster struct {
	// Defined are the agents that a client configured, in its order.
	Defined []Definition
	// Main is the agent that the conversation of the session is with.
	Main Definition

	excluded []string // what the client's defaultAgent excludes, of any main agent
}

// Configure takes over the agents of a client's configuration; what is absent stays.
// It changes nothing and returns [fault.NotFound] if the configuration chooses an agent
// that it does not define.
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
