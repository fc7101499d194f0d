//lint:file-ignore SA1019 servers use sampling, although the newest version of the protocol advises against it.

package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is a program for scripts: an MCP server with the tools echo, key and ask. With an
// argument it is another one: stalls never answers, crashes ends at once, garbage prints text
// before it serves, and choosy has more tools for clients that answer questions.
func mcpServer() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	switch mode {
	case "stalls":
		time.Sleep(time.Hour) // a process of its own, which no bubble reaches
	case "crashes":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "garbage":
		fmt.Println("Server listening on stdio")
	}
	s := echoServer(nil)
	switch mode {
	case "choosy":
		s = choosyServer()
	case "newest":
		s = newestServer()
	case "library":
		s = libraryServer()
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// choosyServer is a server that offers two of its tools only to clients that answer the questions which
// they need, as the reference server "everything" of the MCP project does. One has a description that is too long.
func choosyServer() *mcp.Server {
	simple := func(s *mcp.Server, name, description, answer string) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return said(answer), nil, nil
		})
	}
	var s *mcp.Server
	s = echoServer(&mcp.ServerOptions{InitializedHandler: func(_ context.Context, r *mcp.InitializedRequest) {
		can := r.Session.InitializeParams().Capabilities
		if can.Elicitation != nil {
			simple(s, "question", "Asks.", "asked")
		}
		if can.Sampling != nil {
			simple(s, "summary", "Sums up.", "summed up")
		}
	}})
	simple(s, "long", strings.Repeat("x", 65<<10), "")
	return s
}

// echoServer is the server of mcpServer.
func echoServer(o *mcp.ServerOptions) *mcp.Server {
	if o == nil {
		o = &mcp.ServerOptions{}
	}
	o.SupportedProtocolVersions = []string{"2025-11-25"} // servers of newer ones send no requests
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, o)
	type text struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Returns its text."}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		return said("echo: " + in.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "key", Description: "Returns the key that it was configured with."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return said("key: " + os.Getenv("KEY")), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask", Description: "Asks the user for a colour."}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which colour?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string", "enum": []any{"red", "blue"}}}, "required": []any{"colour"},
		}})
		if err != nil {
			return nil, nil, err
		}
		colour, _ := a.Content["colour"].(string)
		return said("answer: " + a.Action + " " + colour), nil, nil
	})
	return s
}

// newestServer is a server of protocol 2026-07-28: it asks with its answer to a call, and ends after the call with the answer.
func newestServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "newest", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2026-07-28"}})
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "ask", Description: "Asks the user for a colour.", InputSchema: schema}, func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ok := q.Params.InputResponses["colour"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{RequestState: "asked", InputRequests: mcp.InputRequestMap{"colour": &mcp.ElicitParams{Message: "Which colour?", RequestedSchema: map[string]any{
				"type": "object", "properties": map[string]any{"colour": map[string]any{"type": "string", "enum": []any{"red", "blue"}}}, "required": []any{"colour"},
			}}}}, nil
		}
		return said(fmt.Sprintf("%s, the answer: %s %v", q.Params.RequestState, answer.Action, answer.Content["colour"])), nil
	})
	s.AddTool(&mcp.Tool{Name: "end", Description: "Ends the server.", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(7)
		return nil, nil
	})
	return s
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
