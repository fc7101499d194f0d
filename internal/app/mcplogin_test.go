package app_test

import (
	"io"
	"net/http"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sidestick-dev/sidestick/internal/testing/oauthtest"
)

// fakeLogin starts an MCP server that is a web service and wants a token; sets MCPURL.
func fakeLogin(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "fakelogin")
	service := oauthtest.Serve(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return echoServer(nil) }, nil))
	ts.Defer(service.Close)
	ts.Setenv("MCPURL", service.URL+"/mcp")
}

// page is the address of a page that a program prints.
var page = regexp.MustCompile(`\n  (http://\S+)\n`)

// visit opens the page that the program in the background has printed, as a browser does.
func visit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "visit")
	found := worldOf(ts).process.until(ts, page)
	answer, err := http.Get(found[1])
	ts.Check(err)
	defer answer.Body.Close()
	_, _ = io.Copy(ts.Stdout(), answer.Body) // it is closed in any case
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("the page answered %s", answer.Status)
	}
}
