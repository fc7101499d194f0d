package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Bounds of the tools of a server. A large server has a hundred.
const (
	maxTools       = 1000
	maxPages       = 100
	maxDescription = 64 << 10 // bytes of one tool's description
	maxSchema      = 256 << 10
	maxToolName    = 256
	maxListed      = 1 << 20 // bytes of all descriptions and schemas, each of which the model reads with each call
	maxLevels      = 100     // of a schema
)

// Tool is one tool of a server. It implements [tool.Asker].
type Tool struct {
	connection *connection
	described  *sdk.Tool
	definition tool.Definition
	ui         *UI
	timeout    time.Duration
}

// UI is what a tool says about MCP Apps, in the field ui of its metadata.
type UI struct {
	ResourceURI string   `json:"resourceUri"`
	Visibility  []string `json:"visibility"` // "model", "app"; empty: both
}

// list reads the tools of the server, those that are configured not to be offered left out.
func (n *connection) list(ctx context.Context, c *config) ([]*Tool, error) {
	limit := StartTime
	if c.timeout > 0 {
		limit = c.timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not list its tools within %v", limit))
	defer cancel()
	defer context.AfterFunc(n.context, cancel)()
	if caps := n.client.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return []*Tool{}, nil
	}
	var all []*Tool
	var left leftOut
	for params, page := (&sdk.ListToolsParams{}), 0; ; page++ {
		listed, err := n.client.ListTools(ctx, params)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
		for _, described := range listed.Tools {
			if t := n.newTool(c, described, &left); t != nil {
				all = append(all, t)
			}
		}
		if len(all) > maxTools || page >= maxPages {
			return nil, fmt.Errorf("it has more than %d tools, or more than %d pages of them", maxTools, maxPages)
		}
		if listed.NextCursor == "" {
			n.warn(left.warning())
			return all, nil
		}
		params = &sdk.ListToolsParams{Cursor: listed.NextCursor}
	}
}

// newTool returns a tool as it was listed; nil if it is not offered, or cannot be used, which is
// noted in left.
func (n *connection) newTool(c *config, described *sdk.Tool, left *leftOut) *Tool {
	if described == nil || !c.offers(described.Name) {
		return nil
	}
	schema := objectSchema(described.InputSchema)
	switch size := len(schema) + len(described.Description); {
	case described.Name == "" || len(described.Name) > maxToolName || !plainName(described.Name):
		left.note(described.Name, "its name")
		return nil
	case len(schema) > maxSchema || levels(described.InputSchema) > maxLevels:
		left.note(described.Name, "its schema")
		return nil
	case len(described.Description) > maxDescription:
		left.note(described.Name, "its description")
		return nil
	case left.size+size > maxListed:
		left.note(described.Name, fmt.Sprintf("the tools before it take %d KiB", maxListed>>10))
		return nil
	default:
		left.size += size
	}
	t := &Tool{connection: n, described: described, timeout: c.timeout, ui: uiOf(described.Meta)}
	t.definition = tool.Definition{
		Name: wireName(n.server.name, described.Name), Description: described.Description, Parameters: schema, Origin: tool.MCP,
		Server: n.server.name, ServerTool: described.Name, Title: t.title(),
	}
	return t
}

// uiOf reads the metadata of a tool for MCP Apps; nil if it has none.
func uiOf(meta sdk.Meta) *UI {
	block, ok := meta["ui"].(map[string]any)
	if !ok {
		return nil
	}
	ui := &UI{}
	ui.ResourceURI, _ = block["resourceUri"].(string)
	seen, _ := block["visibility"].([]any)
	for _, one := range seen {
		if who, ok := one.(string); ok {
			ui.Visibility = append(ui.Visibility, who)
		}
	}
	return ui
}

// shows reports whether the model, or an app, may call the tool.
func (t *Tool) shows(who string) bool {
	return t.ui == nil || len(t.ui.Visibility) == 0 || slices.Contains(t.ui.Visibility, who)
}

// title is the name of the tool for users.
func (t *Tool) title() string {
	noted := ""
	if t.described.Annotations != nil {
		noted = t.described.Annotations.Title
	}
	return cmp.Or(t.described.Title, noted, t.described.Name)
}

// Definition implements [tool.Tool].
func (t *Tool) Definition() tool.Definition { return t.definition }

// Request implements [tool.Asker].
func (t *Tool) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{
		Kind: permit.MCP, Tool: t.definition.Name, Server: t.definition.Server, ServerTool: t.definition.ServerTool, Title: t.definition.Title,
		Args: c.Arguments, ReadOnly: t.described.Annotations != nil && t.described.Annotations.ReadOnlyHint,
	}, nil
}

// Tools implements [tool.Source]: the tools of all servers that are connected, in the order of
// the names of the servers. Each has a name of its own.
func (s *Set) Tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered != nil {
		return s.offered
	}
	var all []*Tool
	for _, v := range s.sorted() {
		for _, t := range v.tools {
			if t.shows("model") {
				all = append(all, t)
			}
		}
	}
	s.offered = distinct(all)
	return s.offered
}

// Changed implements [tool.Source].
func (s *Set) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next()
}
