//lint:file-ignore SA1019 the server of the test asks for roots, as servers of the older protocol do.

package app_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// libraryServer is a server with prompts and resources. Its tool roots says which folders it may use, and its tool form asks the
// user with a form; their properties are not in the order of the alphabet.
func libraryServer() *mcp.Server {
	s := echoServer(&mcp.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}}) // which asks for folders
	s.AddPrompt(&mcp.Prompt{
		Name: "report on", Description: "Asks for a report.",
		Arguments: []*mcp.PromptArgument{{Name: "what", Required: true}, {Name: "how"}},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := "Report on " + r.Params.Arguments["what"] + ", how: " + r.Params.Arguments["how"] + "."
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: text}}, {Role: "user", Content: &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}},
		}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "plain"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "Plainly."}}, {Role: "assistant", Content: &mcp.TextContent{Text: "Yes."}},
		}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "library://rules", Name: "rules", Description: "The rules of the house.", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "library://rules", MIMEType: "text/plain", Text: "Shoes off."}}}, nil
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "library://book/{number}", Name: "book"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "The book " + r.Params.URI}}}, nil
		})
	type none struct{}
	mcp.AddTool(s, &mcp.Tool{Name: "roots", Description: "Lists the folders."}, func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		got, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		var all []string
		for _, root := range got.Roots {
			all = append(all, root.URI)
		}
		return said("roots: " + strings.Join(all, " ")), nil, nil
	})
	s.AddTool(&mcp.Tool{
		Name: "form", Description: "Asks with a form.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"zoo":{"type":"string"},"ape":{"type":"string"},"mid":{"type":"object","properties":{"y":{"type":"string"},"b":{"type":"string"}}}}}`),
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"surname":{"type":"string"},"name":{"type":"string"},"age":{"type":"integer"}},"required":["surname"]}`)})
		if err != nil {
			return nil, err
		}
		return said("form: " + a.Action), nil
	})
	return s
}
