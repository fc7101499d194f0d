//go:build programs

package programs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// binary is the program under test, with its library beside it; installed is the folder with the packages.
var binary, installed string

// asServer is the argument with which this test program is the MCP server of the story.
const asServer = "mcp-server"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asServer {
		beServer()
		return
	}
	installed = os.Getenv("SIDESTICK_PROGRAMS")
	if installed == "" {
		fmt.Fprintln(os.Stderr, "SIDESTICK_PROGRAMS must be the folder in which .ci/run installs the packages of testdata")
		os.Exit(1)
	}
	os.Exit(built.Run(func(path string) int {
		binary = path
		library := exec.Command("go", "run", "-C", "../../tools", "./inprocess", "-beside", filepath.Dir(binary))
		if out, err := library.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", library, err, out)
			return 1
		}
		return m.Run()
	}))
}

// beServer serves the tool of the step mcp until the standard input ends.
func beServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "counter", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "count", Description: "Counts to two."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "counted"}}}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
