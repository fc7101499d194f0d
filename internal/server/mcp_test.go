//lint:file-ignore SA1019 servers use sampling, although the newest version of the protocol advises against it.

package server_test

import (
	"context"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/mcp"
)

// servers are the MCP servers of the sessions of a process: in memory, and all of them the same,
// but for one with the name "stalled", which never answers, those whose names begin with "web", which are
// a web service, and one with the name "guesser".
func servers() mcp.Options {
	return mcp.Options{Web: guardedService{}, Transport: func(name string) sdk.Transport {
		if strings.HasPrefix(name, "web") {
			return nil
		}
		near, far := sdk.NewInMemoryTransports()
		if name == "stalled" {
			go swallow(far) // ends with the connection
			return near
		}
		made := calculator()
		if name == "guesser" {
			made = guesser()
		}
		go func() { _ = made.Run(context.Background(), far) }() // the same
		return near
	}}
}

func swallow(far sdk.Transport) {
	ctx := context.Background()
	c, err := far.Connect(ctx)
	for err == nil {
		_, err = c.Read(ctx)
	}
	_ = c.Close()
}

// calculator is a server with two tools and a resource.
func calculator() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "calculator", Version: "1"}, nil)
	type terms struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type sum struct {
		Sum int `json:"sum"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "add", Title: "Addition", Description: "Adds two numbers.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, t terms) (*sdk.CallToolResult, sum, error) {
			return nil, sum{t.A + t.B}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "count", Description: "Counts to three."}, func(ctx context.Context, q *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		for i := 1; i <= 3; i++ {
			if err := q.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: q.Params.GetProgressToken(), Progress: float64(i), Total: 3}); err != nil {
				return nil, nil, err
			}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "three"}, &sdk.ResourceLink{URI: "file:///three", Name: "three"}}}, nil, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "prove", Title: "Prove", Arguments: []*sdk.PromptArgument{{Name: "claim", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Description: "A proof", Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Prove that " + r.Params.Arguments["claim"]}}}}, nil
	})
	s.AddResource(&sdk.Resource{URI: "test://pi", Name: "pi", MIMEType: "text/plain"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test://pi", MIMEType: "text/plain", Text: "3.14"}}}, nil
	})
	return s
}

// guesser is a server with a tool that has a model answer.
func guesser() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "guesser", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}}) // servers of newer versions send no requests
	sdk.AddTool(s, &sdk.Tool{Name: "guess", Description: "Has a model guess."}, func(ctx context.Context, q *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		res, err := q.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 20, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Guess."}}}})
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{res.Content}}, nil, nil
	})
	return s
}
