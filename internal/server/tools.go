package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listTools lists the built-in tools, for any model.
func listTools(_ context.Context, c *conn, _ none) (any, error) {
	list := wire.ToolList{}
	for _, d := range c.home().Sessions.Builtin() {
		list.Tools = append(list.Tools, wire.ToolListed{Name: d.Name, Description: d.Description, Parameters: schema(d)})
	}
	return encode(list)
}

// currentTools lists the tools that the next turn of a session offers to the model.
func currentTools(ctx context.Context, s *session.Session, _ named) (any, error) {
	offered, err := s.Metrics().Offered(ctx)
	if err != nil {
		return nil, err
	}
	current := wire.ToolsCurrent{}
	for _, c := range offered {
		d := c.Definition
		current.Tools = append(current.Tools, wire.ToolCurrent{
			Name: d.Name, Description: d.Description, InputSchema: schema(d), MCPServerName: wire.Optional(d.Server), MCPToolName: wire.Optional(d.ServerTool),
			NamespacedName: namespaced(d), DeferLoading: wire.Optional(c.Deferred),
		})
	}
	return encode(current)
}

// namespaced is the name of a tool of an MCP server as users write it; nil for other tools.
func namespaced(d tool.Definition) *string {
	if d.Server == "" {
		return nil
	}
	name := d.Server + "/" + d.ServerTool
	return &name
}

// validateTools does nothing: tools are checked when a client brings them.
func validateTools(ctx context.Context, s *session.Session, _ named) (any, error) {
	_, err := s.Metrics().Offered(ctx)
	return empty{}, err
}

// schema returns the schema of a tool's arguments, nil if it takes none or the schema
// is not an object.
func schema(d tool.Definition) (object map[string]any) {
	_ = json.Unmarshal(d.Parameters, &object)
	return object
}

// toolsSet has the parameters of session.tools.set.
type toolsSet struct {
	Tools *[]wire.Tool `json:"tools"`
}

// setTools replaces the tools that the calling connection provides.
func setTools(ctx context.Context, _ *conn, a *attachment, p toolsSet) (any, error) {
	if p.Tools == nil {
		return nil, missing("tools")
	}
	return empty{}, a.client.Tools().Set(ctx, *p.Tools)
}

// autopilotObjective answers that the session has no objective: autopilot follows the last message.
func autopilotObjective(context.Context, *session.Session, named) (any, error) {
	return struct {
		State *none `json:"state"`
	}{}, nil
}
