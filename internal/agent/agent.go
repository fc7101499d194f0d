// Package agent defines the agents of a session: their instructions, the tools that they may
// use and the models that they run on. It is pure: it calls no model, reads no file and
// holds no session.
//
// These are the default agent and the custom agents of the Copilot SDKs. They run inside
// this program, on a model of the session's provider. Agents of the Copilot Extensions
// protocol are external programs that are called instead of a model, and have nothing to do
// with this package: see package extension, and internal/session/extension.go.
//
// An agent that comes with the program is an entry of builtin.go (Builtins) with a file in
// builtin/. The model reads its name and description in the description of the tool task, so the
// conversations in internal/server/testdata/wire change with it (go test ./internal/server
// -update), and so do the list of limits_test.go and that of docs/tools.md.
//
// Each agent, of whatever source, already has settings for its model: [Definition.Model], the
// [Overrides] of a client, and a variable of the user with models by the names of agents,
// config/subagents.go (ModelsByAgent). Package session/agents decides between them. A new
// limit or setting has its variable in config/subagents.go, its line for doctor in
// config/describe.go, and its row in docs/settings.md.
package agent

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Source says where a definition comes from.
type Source uint8

const (
	Builtin Source = iota // the default agent, and those of [Builtins]
	Client                // customAgents of a client's configuration
	User                  // a file of the user
	Project               // a file of the project
	Plugin                // a file of a plugin
	Named                 // a file in a folder that a client names
)

// Definition is one agent. The zero value is the default agent: no instructions of its own,
// every tool, the model of the session. A definition is never changed.
type Definition struct {
	// Name is unique among the agents of a session.
	Name string
	// DisplayName and Description are for users, and for a model that chooses an agent;
	// empty if there are none.
	DisplayName, Description string
	// Prompt is the agent's instructions, unchanged.
	Prompt string
	// Tools are patterns of the tools that the agent may use, as in [Filter]; nil: all
	// tools of the session, empty: none.
	Tools []string
	// ExcludedTools are patterns of tools that the agent may not use; they take precedence
	// over Tools.
	ExcludedTools []string
	// DeferTools means that tools which Tools names can be deferred, as those can that it has by a pattern with *.
	DeferTools bool
	// Skills are the names of skills that the agent's instructions include in full.
	Skills []string
	// Model is the model that the agent runs on; empty: the session's model. Of a file it may be a word that no
	// provider knows; see [FindModel].
	Model string
	// ReasoningEffort is the effort of its model calls; empty: the session's.
	ReasoningEffort string
	// MCPServers are the configurations of MCP servers for this agent, by name, as the client
	// sent them or as they are in its file.
	MCPServers map[string]json.RawMessage
	// Servers are the names of MCP servers of the session that its file asks for. It may use them without that; the
	// user is warned of one that the session does not have.
	Servers []string
	// Permission is what calls of its tools may do at most; see [Mode].
	Permission Mode
	// MaxTurns bounds the calls of its model in one run; 0: nothing does. Background has it work in the background
	// whenever a model starts it.
	MaxTurns   int
	Background bool
	// Infer reports whether a model may choose the agent for a task.
	Infer bool
	// Source is where the definition comes from. Path is its file, absolute; empty if it is
	// not from a file.
	Source Source
	Path   string
	// Untrusted means that the file is not the user's own, and lies in a folder that the user does not
	// trust. Such an agent runs only on models of the session's provider, and brings no servers.
	Untrusted bool
	// Hidden agents cannot be selected by the user.
	Hidden bool
}

// Mode makes the permissions of an agent and of the agents that it starts stricter. The zero value does not.
type Mode string

const (
	// Planning denies everything that may change something.
	Planning Mode = "plan"
	// Unasking denies what the user would be asked about.
	Unasking Mode = "dontAsk"
)

// FromClient returns the definition of an agent that a client configured.
func FromClient(a wire.CustomAgent) Definition {
	return Definition{
		Name: a.Name, DisplayName: a.DisplayName, Description: a.Description, Prompt: a.Prompt,
		Tools: slices.Clone(a.Tools), Skills: slices.Clone(a.Skills), Model: a.Model, ReasoningEffort: a.ReasoningEffort,
		MCPServers: maps.Clone(a.MCPServers), Infer: a.Infer == nil || *a.Infer, Source: Client,
	}
}

// Offers reports whether the agent may use a tool, as [Filter.Offers]. The filter of the session
// applies in addition.
func (d Definition) Offers(t Tool) bool {
	return Filter{Available: d.Tools, Excluded: d.ExcludedTools, ExcludedWins: true}.Offers(t)
}

// Preloads reports whether a tool is never deferred for the agent, because it names the tool.
func (d Definition) Preloads(t Tool) bool {
	return !d.DeferTools && slices.ContainsFunc(d.Tools, func(p string) bool {
		return !strings.HasSuffix(p, "*") && matches(p, t)
	})
}

// ModelOr returns the model of the agent in a session with the given model. It is that of the session as long as it
// is not known which model the agent names.
func (d Definition) ModelOr(session string) string {
	if IsWord(d.Model) {
		return session
	}
	return d.Model
}

// EffortOr returns the reasoning effort of the agent's model calls in a session with the
// given effort.
func (d Definition) EffortOr(session string) string { return cmp.Or(d.ReasoningEffort, session) }

// Instructions returns the agent's text for the model: its prompt, then the texts of its
// skills; "" if both are empty. It becomes [prompt.Env.Agent] of internal/prompt.
func (d Definition) Instructions(skills ...string) string {
	parts := append([]string{strings.TrimSpace(d.Prompt)}, skills...)
	text := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
	if text == "" {
		return ""
	}
	return "<agent_instructions>\n" + text + "\n</agent_instructions>"
}
