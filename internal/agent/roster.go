package agent

import (
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Roster holds the agents of a session. The zero value has the built-in agents, and the
// default agent as its main agent. A copy of a roster is independent of it.
type Roster struct {
	// Defined are the agents that a client configured, in its order.
	Defined []Definition
	// Main is the agent of the session's main conversation.
	Main Definition

	mainExcludes []string          // tools that Main excludes by itself
	excluded     []string          // tools that the client's defaultAgent excludes, for every main agent
	without      []string          // built-in agents that the client excludes
	only         []string          // the built-in agents that the client includes; nil: all
	prompts      map[string]string // instructions that a client has replaced, by agent; never changed
}

// Configure applies the agents of a client's configuration; absent fields stay unchanged. files
// are the agents of files. If the configuration chooses an agent that neither a client nor a file
// defines, Configure returns [fault.NotFound] and changes nothing.
func (r *Roster) Configure(cfg wire.Config, files []Definition) error {
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
	if cfg.ExcludedAgents != nil {
		next.without = cfg.ExcludedAgents
	}
	if cfg.IncludedAgents != nil {
		next.only = cfg.IncludedAgents
	}
	if cfg.AllAgents {
		next.only = nil
	}
	if cfg.Agent != "" && !next.Select(cfg.Agent, files) {
		return fault.New(fault.NotFound, "session", cfg.SessionID, "there is no agent %q, neither among customAgents nor in a file", cfg.Agent)
	}
	next.Main.ExcludedTools = slices.Concat(next.mainExcludes, next.excluded)
	*r = next
	return nil
}

func named(name string) func(Definition) bool {
	return func(d Definition) bool { return d.Name == name }
}

// Custom returns the agents that clients configured, then those of files; of two with one
// name, the first. It does not return built-in agents.
func (r *Roster) Custom(files []Definition) []Definition {
	if len(r.Defined)+len(files) == 0 {
		return nil
	}
	var all []Definition
	for _, d := range slices.Concat(r.Defined, files) {
		if slices.ContainsFunc(all, named(d.Name)) {
			continue
		}
		if text, ok := r.prompts[d.Name]; ok {
			d.Prompt = text
		}
		all = append(all, d)
	}
	return all
}

// Builtins returns the built-in agents that the client has not excluded and that no custom
// agent replaces. The caller does not modify the slice: it is the same one for every session
// that configures no agents and has none in files.
func (r *Roster) Builtins(files []Definition) []Definition {
	if len(files) == 0 && len(r.Defined) == 0 && len(r.without) == 0 && r.only == nil && len(r.prompts) == 0 {
		return builtins.Get()
	}
	var all []Definition
	for _, d := range builtins.Get() {
		if slices.Contains(r.without, d.Name) || r.only != nil && !slices.Contains(r.only, d.Name) || slices.ContainsFunc(r.Defined, named(d.Name)) || slices.ContainsFunc(files, named(d.Name)) {
			continue
		}
		if text, ok := r.prompts[d.Name]; ok {
			d.Prompt = text
		}
		all = append(all, d)
	}
	return all
}

// All returns the agents that can be started, with those of files. The caller does not modify
// the slice.
func (r *Roster) All(files []Definition) []Definition {
	own, custom := r.Builtins(files), r.Custom(files)
	if len(custom) == 0 {
		return own
	}
	return slices.Concat(own, custom)
}

// Find returns the agent of that name, with those of files.
func (r *Roster) Find(name string, files []Definition) (Definition, bool) {
	all := r.All(files)
	if i := slices.IndexFunc(all, named(name)); i >= 0 {
		return all[i], true
	}
	return Definition{}, false
}

// Select makes a custom agent the main agent. It reports false if there is none of that name.
func (r *Roster) Select(name string, files []Definition) bool {
	custom := r.Custom(files)
	i := slices.IndexFunc(custom, named(name))
	if i < 0 {
		return false
	}
	r.Main, r.mainExcludes = custom[i], custom[i].ExcludedTools
	r.Main.ExcludedTools = slices.Concat(r.mainExcludes, r.excluded)
	return true
}

// Deselect makes the default agent the main agent.
func (r *Roster) Deselect() {
	r.Main, r.mainExcludes = Definition{ExcludedTools: r.excluded}, nil
}

// SetPrompt replaces the instructions of an agent, also if it is the main agent.
func (r *Roster) SetPrompt(name, text string) {
	r.prompts = maps.Clone(r.prompts)
	if r.prompts == nil {
		r.prompts = map[string]string{}
	}
	r.prompts[name] = text
	if r.Main.Name == name {
		r.Main.Prompt = text
	}
}
