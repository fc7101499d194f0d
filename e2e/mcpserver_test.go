package e2e_test

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	copilot "github.com/github/copilot-sdk/go"
)

// isServer is set where this test program is to be an MCP server.
const isServer = "SIDESTICK_E2E_MCP_SERVER"

// testServer is this test program as an MCP server.
func testServer() copilot.MCPServerConfig {
	return copilot.MCPStdioServerConfig{Command: os.Args[0], Env: map[string]string{isServer: "1"}, Tools: []string{"*"}}
}

// beServer is an MCP server with two tools: count reports progress, choose asks the user.
func beServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "count", Description: "Counts to two."}, count)
	mcp.AddTool(s, &mcp.Tool{Name: "choose", Description: "Asks the user for a colour."}, choose)
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

func count(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	for n, message := range []string{"one", "two"} {
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Message: message, Progress: float64(n + 1), Total: 2,
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil, nil
}

func choose(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string", "enum": []any{"red", "blue"}}}, "required": []any{"colour"},
	}})
	if err != nil {
		return nil, nil, err
	}
	colour, _ := a.Content["colour"].(string)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Action + " " + colour}}}, nil, nil
}
