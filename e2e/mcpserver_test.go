package e2e_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	copilot "github.com/github/copilot-sdk/go"
)

// isServer is set where this test program is to be an MCP server.
const isServer = "SIDESTICK_E2E_MCP_SERVER"

// testServer is this test program as an MCP server.
func testServer() copilot.MCPServerConfig {
	return copilot.MCPStdioServerConfig{Command: os.Args[0], Env: map[string]string{isServer: "1"}, Tools: []string{"*"}}
}

// beServer is an MCP server: count reports progress, choose asks the user, grow changes what the
// server offers. The other tools are those of the servers that recordings were made with.
func beServer() {
	beHostile(os.Getenv(harm))
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}, Capabilities: &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true}, Resources: &mcp.ResourceCapabilities{ListChanged: true},
	}})
	mcp.AddTool(s, &mcp.Tool{Name: "count", Description: "Counts to two."}, count)
	mcp.AddTool(s, &mcp.Tool{Name: "choose", Description: "Asks the user for a colour."}, choose)
	mcp.AddTool(s, &mcp.Tool{Name: "grow", Description: "Adds a tool, a prompt and a resource."}, grow(s))
	mcp.AddTool(s, &mcp.Tool{Name: "get_env", Description: "Reads the environment."}, getEnv)
	mcp.AddTool(s, &mcp.Tool{Name: "echo_meta", Description: "Returns what came beside the arguments."}, echoMeta)
	mcp.AddTool(s, &mcp.Tool{Name: "request_user_input", Description: "Asks the user for a color."}, requestUserInput)
	if os.Getenv(stubborn) != "" {
		_ = exec.Command("sh", "-c", "setsid sleep 3600 >/dev/null 2>&1 </dev/null &").Run() // its parent ends
	}
	err := s.Run(context.Background(), &mcp.StdioTransport{})
	if os.Getenv(stubborn) != "" {
		time.Sleep(time.Hour) // although its standard input has ended
	}
	if err != nil {
		os.Exit(1)
	}
}

// stubborn is set where the server does not end by itself, and starts a program that loses its parent.
const stubborn = "SIDESTICK_E2E_MCP_STUBBORN"

func count(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	switch os.Getenv(harm) {
	case "dies":
		os.Exit(4)
	case "ignores": // that it is canceled, too
		time.Sleep(time.Hour) // a process of its own, which no bubble reaches
	}
	for n, message := range []string{"one", "two"} {
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Message: message, Progress: float64(n + 1), Total: 2,
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if err := r.Session.Ping(ctx, nil); err != nil { // answered after what was sent before
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil, nil
}

func grow(s *mcp.Server) mcp.ToolHandlerFor[struct{}, any] {
	return func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "late", Description: "Counts, too."}, count)
		s.AddPrompt(&mcp.Prompt{Name: "late"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		s.AddResource(&mcp.Resource{URI: "test://late", Name: "late"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "grown"}}}, nil, nil
	}
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

// text is a result of one text; data is one as JSON.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func data(v any) (*mcp.CallToolResult, any, error) {
	b, err := json.Marshal(v)
	return text(string(b)), nil, err
}

func getEnv(_ context.Context, _ *mcp.CallToolRequest, in struct {
	Name string `json:"name"`
},
) (*mcp.CallToolResult, any, error) {
	return text(os.Getenv(in.Name)), nil, nil
}

// echoMeta leaves out what runtimes and libraries send by themselves.
func echoMeta(_ context.Context, r *mcp.CallToolRequest, in struct {
	Value string `json:"value"`
},
) (*mcp.CallToolResult, any, error) {
	meta := maps.Clone(r.Params.Meta)
	for _, own := range []string{"progressToken", "traceparent", "tracestate"} {
		delete(meta, own)
	}
	if len(meta) == 0 {
		meta = nil
	}
	return data(object{"meta": meta, "value": in.Value})
}

func requestUserInput(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Choose a color.", RequestedSchema: object{
		"type": "object", "properties": object{"color": object{"type": "string"}}, "required": []any{"color"},
	}})
	if err != nil {
		return nil, nil, err
	}
	return data(object{"results": []any{object{"action": a.Action, "content": a.Content}}})
}
