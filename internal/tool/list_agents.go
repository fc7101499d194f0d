package tool

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var listAgentsDefinition = described{name: fact.ListAgents}

type listAgents struct{ from Agents }

func (t *listAgents) Definition() Definition { return listAgentsDefinition.Get() }

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
