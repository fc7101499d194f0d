// Package agent says what an agent of a session is: its instructions, the tools it may
// use and the model it runs on. It is pure: nothing here calls a model, reads a file or
// holds a session.
//
// These are the agents that the Copilot SDKs call custom agents, and the default agent.
// They run inside this program, on a model of the session's provider. Agents of the
// Copilot Extensions protocol are programs of others that are called in place of a
// model, and have nothing to do with this package: see package extension, and
// extension.go in package session.
//
// Files:
//   - agent.go: [Definition], one agent, and what follows from it
//   - roster.go: [Roster], the agents of a session and which one is the main agent
//   - filter.go: [Filter], which tools are offered
package agent

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Source is where a definition comes from.
type Source uint8

const (
	Builtin Source = iota // the default agent
	Client                // customAgents of a client's configuration
)

// Definition is one agent. The zero value is the default agent: no instructions of its
// own, every tool, the model of the session. A definition is not changed once it is
// made.
type Definition struct {
	// Name is unique among the agents of a session.
	Name string
	// DisplayName and Description are for people, and for a model that chooses an
	// agent; empty if there are none.
	DisplayName, Description string
	// Prompt is the agent's instructions, as they were written.
	Prompt string
	// Tools are patterns of the tools that the agent may use, as in [Filter]; nil: all
	// tools of the session, empty: none.
	Tools []string
	// ExcludedTools are patterns of tools that the agent may not use, whatever Tools
	// says.
	ExcludedTools []string
	// Skills are the names of skills whose whole text the agent reads from its start.
	Skills []string
	// Model is the model that the agent runs on; empty: that of the session.
	Model string
	// ReasoningEffort is that of its model calls; empty: that of the session.
	ReasoningEffort string
	// MCPServers are the configurations of MCP servers that only this agent uses, by
	// name, as the client sent them. This version starts none.
	MCPServers map[string]json.RawMessage
	// Infer says that a model may choose the agent for a task on its own.
	Infer bool
	// Source is where the definition comes from.
	Source Source
}

// FromClient is the definition of an agent that a client configured.
func FromClient(a wire.CustomAgent) Definition {
	return Definition{
		Name: a.Name, DisplayName: a.DisplayName, Description: a.Description, Prompt: a.Prompt,
		Tools: slices.Clone(a.Tools), Skills: slices.Clone(a.Skills), Model: a.Model, ReasoningEffort: a.ReasoningEffort,
		MCPServers: maps.Clone(a.MCPServers), Infer: a.Infer == nil || *a.Infer, Source: Client,
	}
}

// Offers reports whether the agent may use a tool. The filter of the session applies
// beside it.
func (d Definition) Offers(source, name string) bool {
	return Filter{Available: d.Tools, Excluded: d.ExcludedTools, ExcludedWins: true}.Offers(source, name)
}

// ModelOr is the model that the agent runs on in a session with the given model.
func (d Definition) ModelOr(session string) string { return cmp.Or(d.Model, session) }

// EffortOr is the reasoning effort of the agent's model calls in a session with the
// given one.
func (d Definition) EffortOr(session string) string { return cmp.Or(d.ReasoningEffort, session) }

// Instructions is what the model reads about the agent: its prompt, then the texts of
// its skills as the model reads them; "" if both are empty. It goes into
// [prompt.Env.Agent] of internal/prompt.
func (d Definition) Instructions(skills ...string) string {
	parts := append([]string{strings.TrimSpace(d.Prompt)}, skills...)
	text := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
	if text == "" {
		return ""
	}
	return "<agent_instructions>\n" + text + "\n</agent_instructions>"
}
