package agents

import (
	"context"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Files of agents may name a model in words of other programs; see [agent.FindModel]. Which model that is depends on the
// list of the provider. It is read before an agent starts, on the caller's goroutine, and only if a word needs it.

// named knows which models the words for models mean. It belongs to the session's goroutine, but for lookUp.
type named struct {
	listed []agent.Listed  // the models at the provider of the session, as it listed them last
	warned map[string]bool // the warnings that were given
}

// lookUp reads the list of the provider if an agent, or the call that starts it, names a model by a word. name is ""
// for every agent that works or has worked.
func (n *named) lookUp(ctx context.Context, a *Agents, name, model string) error {
	needed, err := mailbox.Ask(ctx, a.session.Post, func() (bool, error) {
		if n.unknown(a, model) {
			return true, nil
		}
		def, _ := a.roster.Find(name, a.files.Agents())
		needed := n.unknown(a, def.Model)
		if name == "" {
			needed = n.unknown(a, a.roster.Main.Model)
			for _, t := range a.session.State().Threads()[1:] {
				def, _ := a.roster.Find(t.Launch.Agent, a.files.Agents())
				needed = needed || n.unknown(a, def.Model)
			}
		}
		return needed, nil
	})
	if err != nil || !needed {
		return err
	}
	list := a.session.Listed(ctx)
	return a.session.Post(ctx, func() error { n.listed = list; return nil })
}

// unknown reports whether the list of the provider says which model a name means.
func (n *named) unknown(a *Agents, name string) bool {
	id, found := agent.FindModel(name, a.models, nil)
	return id == "" && !found
}

// called returns the model that an agent, or the call that starts it, names; "" is that of the session. It warns, once,
// if that is only because there is no such model.
func (n *named) called(a *Agents, name, model string) string {
	id, found := agent.FindModel(model, a.models, n.listed)
	if warning := name + "\x00" + model; !found && !n.warned[warning] {
		if n.warned == nil {
			n.warned = map[string]bool{}
		}
		n.warned[warning] = true
		a.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "agent_model", Message: fmt.Sprintf(
			"The agent %s asks for the model %s, and the provider of this session lists none of that name. It runs on the model of the session. To choose another one: SIDESTICK_AGENT_MODELS=%s=MODEL.",
			name, fault.Bounded(model), name)})
	}
	return id
}

// ModeOf returns the strictest mode of permissions of an agent and of those that it works for; agentID is "" for the
// main agent. It is called on the session's goroutine.
func (a *Agents) ModeOf(agentID string) agent.Mode {
	mode := a.roster.Main.Permission
	for b := a.find(agentID); agentID != "" && b != nil; b = b.parent {
		if b.def.Permission == agent.Planning || mode == "" {
			mode = b.def.Permission
		}
	}
	return mode
}
