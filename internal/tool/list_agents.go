package tool

import (
	"context"
	"strings"
)

// ListAgentsName is what the model calls to list the sub-agents.
const ListAgentsName = "list_agents"

var listAgentsDefinition = described{name: ListAgentsName, repeatable: true}

type listAgents struct{ from Agents }

func (t *listAgents) Definition() Definition {
	d := listAgentsDefinition.Get()
	d.Trusted = true
	return d
}

func (t *listAgents) Run(ctx context.Context, _ Call) Result {
	all, err := t.from.SubAgents(ctx)
	if err != nil {
		return agentError(ctx, err)
	}
	if len(all) == 0 {
		return success("No sub-agents have been started.")
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, a.summary())
	}
	return success(strings.Join(lines, "\n"))
}
