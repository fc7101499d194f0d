package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// harm has the MCP server of this test program do harm: see [beHostile].
const harm = "SIDESTICK_E2E_MCP_HARM"

// beHostile does what a server should not. It returns for harm that begins later.
func beHostile(how string) {
	switch how {
	case "stalls":
		time.Sleep(time.Hour) // a process of its own, which no bubble reaches
	case "crashes":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "garbage":
		fmt.Print("Server listening on stdio\n{\"level\":\"info\"}\n\x00\xff\n[]\n")
	case "floods":
		for data := strings.Repeat("x", 64<<10); ; {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + data + `"}}`)
		}
	}
}

// hostile configures a server that does harm.
func hostile(how string) copilot.MCPServerConfig {
	c := testServer().(copilot.MCPStdioServerConfig)
	c.Env[harm] = how
	return c
}

// One session has a server of each hostile sort, and goes on: those that cannot be used have their
// state, the others work, a call of one that dies fails, and one that ignores the end of a call keeps
// nothing.
func TestTheSessionGoesOnWithHostileServers(t *testing.T) {
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(locked.Close)
	m := script(t, call("garbage-count", "{}"), call("dies-count", "{}"), call("good-count", "{}"), call("good-grow", "{}"), say("Done."),
		call("good-late", "{}"), say("Done."), call("ignores-count", "{}"), modeltest.Reply{Repeat: true, Text: "Still here."})
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll, AvailableTools: []string{"mcp:*"},
		MCPServers: map[string]copilot.MCPServerConfig{
			"good": testServer(), "garbage": hostile("garbage"), "dies": hostile("dies"), "ignores": hostile("ignores"),
			"stalls": hostile("stalls"), "crashes": hostile("crashes"), "floods": hostile("floods"), "locked": copilot.MCPHTTPServerConfig{URL: locked.URL},
		},
	})
	want := map[string]rpc.MCPServerStatus{
		"good": "connected", "garbage": "connected", "dies": "connected", "ignores": "connected", "crashes": "failed", "floods": "failed", "locked": "needs-auth",
	}
	if state := settled(t, s, want); state != "" {
		t.Fatal(state)
	}
	if _, err := s.RPC.MCP.MoveLoadingToBackground(soon(t)); err != nil { // instead of the ten seconds for the one that stalls
		t.Fatal(err)
	}
	if got := s.ask("Use them."); got != "Done." {
		t.Errorf("it said %q", got)
	}
	await[*copilot.MCPToolsListChangedData](t, s.ear, 1)
	if got := s.ask("Use the new one."); got != "Done." {
		t.Errorf("it said %q", got)
	}
	var results []bool
	for _, d := range all[*copilot.ToolExecutionCompleteData](s.events()) {
		results = append(results, d.Success)
	}
	if fmt.Sprint(results) != "[true false true true true]" {
		t.Errorf("the calls succeeded: %v", results)
	}
	s.send("Use the one that never answers.")
	for n := range 6 {
		if d := await[*copilot.ToolExecutionStartData](t, s.ear, n+1); n == 5 && d.ToolName != "ignores-count" {
			t.Fatalf("it calls %s", d.ToolName)
		}
	}
	if err := s.Abort(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](t, s.ear, 3)
	if got := s.ask("Are you there?"); got != "Still here." {
		t.Errorf("it said %q", got)
	}
}

// settled waits until servers have states, and returns what is wrong if that does not happen.
func settled(t *testing.T, s *talk, want map[string]rpc.MCPServerStatus) string {
	t.Helper()
	late := time.After(patience)
	for {
		list, err := s.RPC.MCP.List(soon(t))
		if err != nil {
			return err.Error()
		}
		now, wrong := "", 0
		for _, server := range list.Servers {
			now += fmt.Sprintf("%s %s; ", server.Name, server.Status)
			if status, ok := want[server.Name]; ok && status != server.Status {
				wrong++
			}
		}
		if wrong == 0 && len(list.Servers) > len(want) {
			return ""
		}
		select {
		case <-s.news:
		case <-late:
			return "the servers are: " + now
		}
	}
}
