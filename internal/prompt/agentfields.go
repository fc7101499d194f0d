package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// Fields of the files of agents. Sources: Claude Code's documentation of sub-agents, and GitHub's of custom agents.

// effortsOfAgents are the words of the field effort.
var effortsOfAgents = []string{"low", "medium", "high", "xhigh", "max"}

// maxAgentTurns bounds the field maxTurns.
const maxAgentTurns = 10_000

// agentFieldsWithoutEffect are the fields that have none, and what a user may expect of them; "" says no more. Those with "-" say
// nothing about what the agent does.
var agentFieldsWithoutEffect = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"hooks": "", "memory": "", "initialPrompt": "", "handoffs": "", "argument-hint": "", "target": "",
		"isolation": ": the agent works in the same folder as the session",
		"color":     "-", "metadata": "-",
	}
}}

// knownFields are the fields that have an effect.
var knownFields = []string{
	"name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "effort", "background",
	"mcpServers", "mcp-servers", "skills", "infer", "disable-model-invocation", "user-invocable", "deferred-tool-loading",
}

// maxModels bounds a list of models.
const maxModels = 20

// model sets the model, or the list of models of which the first counts that the provider has.
func (f *findingAgents) model(d *agent.Definition, value any) {
	list, _ := value.([]any)
	if name, ok := value.(string); ok {
		list = []any{name}
	}
	var names []string
	for _, one := range list[:min(len(list), maxModels)] {
		if name, ok := one.(string); ok && strings.TrimSpace(name) != "" {
			names = append(names, strings.TrimSpace(name))
		}
	}
	if name, ok := value.(string); value != nil && len(names) < max(len(list), 1) && (!ok || strings.TrimSpace(name) != "") {
		f.warn(d.Path, "model has no effect where it is neither a name nor a list of at most %d names", maxModels)
	}
	d.Model = agent.ModelList(names)
}

// fields sets what simple fields say, and warns of the others.
func (f *findingAgents) fields(d *agent.Definition, table map[string]any) {
	f.model(d, table["model"])
	d.Background = truth(table["background"], false)
	switch mode := table["permissionMode"]; mode {
	case nil, "default", "manual":
	case string(agent.Planning), string(agent.Unasking):
		d.Permission = agent.Mode(mode.(string))
	default:
		f.warn(d.Path, "permissionMode: %s has no effect, because a file cannot allow anything; plan and dontAsk have one", oneLine(fmt.Sprint(mode), maxName))
	}
	if value := table["maxTurns"]; value != nil {
		if n, ok := value.(int); ok && n > 0 && n <= maxAgentTurns {
			d.MaxTurns = n
		} else {
			f.warn(d.Path, "maxTurns has no effect, because it is not a number from 1 to %d", maxAgentTurns)
		}
	}
	if value := table["effort"]; value != nil {
		if effort, _ := value.(string); slices.Contains(effortsOfAgents, effort) {
			d.ReasoningEffort = effort
		} else {
			f.warn(d.Path, "effort has no effect, because it is none of %s", strings.Join(effortsOfAgents, ", "))
		}
	}
	if value := table["deferred-tool-loading"]; value != nil {
		if d.DeferTools = truth(value, false); !d.DeferTools && truth(value, true) {
			f.warn(d.Path, "deferred-tool-loading is neither true nor false, and has no effect")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		more, known := agentFieldsWithoutEffect.Get()[key]
		if more != "-" && table[key] != nil && (known || !slices.Contains(knownFields, key)) {
			f.warn(d.Path, "%s has no effect in this version%s", oneLine(key, maxName), more)
		}
	}
}

// failClosed takes from an agent whose front matter is no YAML what a field that cannot be read may
// have taken from it.
func (f *findingAgents) failClosed(d *agent.Definition, front string, table map[string]any) {
	if unread(front, table, "tools") || unread(front, table, "disallowedTools") {
		f.warn(d.Path, "its tools cannot be read, so it has none; correct the front matter")
		d.Tools = []string{}
	}
	if unread(front, table, "permissionMode") {
		f.warn(d.Path, "its permissionMode cannot be read, so it may only plan; correct the front matter")
		d.Permission = agent.Planning
	}
	if unread(front, table, "infer") || unread(front, table, "disable-model-invocation") {
		f.warn(d.Path, "it cannot be read whether the model may call it, so it may not; correct the front matter")
		d.Infer = false
	}
}

// servers sets the MCP servers that an agent brings, and those of the session that it asks for. refused is why its file
// does not count, nil if it does.
func (f *findingAgents) servers(d *agent.Definition, table map[string]any, refused error) {
	for _, field := range []string{"mcp-servers", "mcpServers"} {
		switch value := table[field].(type) {
		case nil:
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				f.server(d, field, name, value[name], refused)
			}
		case []any:
			for _, one := range value {
				switch one := one.(type) {
				case string:
					d.Servers = append(d.Servers, one)
				case map[string]any:
					for _, name := range slices.Sorted(maps.Keys(one)) {
						f.server(d, field, name, one[name], refused)
					}
				default:
					f.warn(d.Path, "%s: %s is neither the name of a server nor a server, and is left out", field, oneLine(fmt.Sprint(one), maxName))
				}
			}
		default:
			f.warn(d.Path, "%s is not a list of servers, and has no effect", field)
		}
	}
}

// server adds one server that an agent brings.
func (f *findingAgents) server(d *agent.Definition, field, name string, given any, refused error) {
	config, err := json.Marshal(given)
	switch {
	case d.Source == agent.Named:
		f.warn(d.Path, "%s has no effect in agentDirectories; send the servers with mcpServers or customAgents", field)
	case refused != nil && d.Source == agent.Project:
		f.warn(d.Path, "the MCP server %q is not started, because %s", oneLine(name, maxName), uncounted(refused))
	case err != nil || config[0] != '{':
		f.warn(d.Path, "the MCP server %q has no configuration, and is left out", oneLine(name, maxName))
	default:
		if d.MCPServers == nil {
			d.MCPServers = map[string]json.RawMessage{}
		}
		d.MCPServers[name] = config
	}
}

// uncounted says why a file does not count, after "because".
func uncounted(refused error) string {
	if errors.Is(refused, projectfiles.ErrUntrusted) {
		return "the folder is not trusted; to trust it: sidestick trust"
	}
	return "of its file: " + refused.Error()
}
