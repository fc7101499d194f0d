package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var toolSearchDefinition = described{name: fact.ToolSearch}

type toolSearch struct{}

// ToolSearch is the tool tool_search_tool as it is in a session without deferred tools. Package
// session/toolsearch offers one in its place that knows those of an agent.
func ToolSearch() Tool { return toolSearch{} }

func (toolSearch) Definition() Definition { return toolSearchDefinition.Get() }

func (toolSearch) Run(context.Context, Call) Result {
	return success("No tools are deferred: you are offered all that there are.")
}

// ToolQuery is the arguments of [ToolSearch].
type ToolQuery struct {
	Query string `json:"query"`
	Limit int    `json:"limit"` // 0: the default
}

// ReadToolQuery reads the arguments of a call of [ToolSearch].
func ReadToolQuery(c Call) (ToolQuery, *Result) { return decode[ToolQuery](c) }
