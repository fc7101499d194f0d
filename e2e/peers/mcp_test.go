//go:build npm

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// TestMain makes this program the keeper of the servers.
func TestMain(m *testing.M) {
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// program returns the start of one of the servers in testdata/mcp, which npm has installed in the
// folder that SIDESTICK_MCP_PEERS names.
func program(t *testing.T, name string, args ...string) map[string]any {
	t.Helper()
	path := filepath.Join(os.Getenv("SIDESTICK_MCP_PEERS"), "node_modules", ".bin", "mcp-server-"+name)
	if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
		t.Fatalf("SIDESTICK_MCP_PEERS must be the absolute path of a copy of testdata/mcp after npm ci: %v", err)
	}
	return map[string]any{"command": "node", "args": append([]string{path}, args...)}
}

// The servers that the project itself publishes for Node, in one session: each call of the model
// reaches its server, and the results come back with their text, picture, data and progress.
func TestPublicMCPServers(t *testing.T) {
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("hello from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := program(t, "memory")
	memory["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	calls := callsIn(work)
	var script []modeltest.Reply
	for _, c := range calls {
		script = append(script, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: c.tool, Arguments: c.arguments}}})
	}
	p, session := opened(t, append(script, modeltest.Reply{Text: "Done."}), map[string]any{
		"workingDirectory": work, "availableTools": []string{"mcp:*"},
		"mcpServers": map[string]any{
			"files": program(t, "filesystem", work), "memory": memory, "everything": program(t, "everything"), "thinking": program(t, "sequential-thinking"),
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if _, err := session.Send(ctx, "Try them all."); err != nil {
		t.Fatal(err)
	}
	var results []string
	progress := 0
	err := session.Wait(ctx, func(e wire.Event) {
		switch e.Type {
		case "tool.execution_complete":
			results = append(results, string(e.Data))
		case "tool.execution_progress":
			progress++
		case "session.mcp_server_status_changed":
			t.Logf("%s", e.Data)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		if len(results) <= i || !strings.Contains(results[i], c.want) && !strings.Contains(plain(results[i]), c.want) {
			t.Errorf("%s %s: the results are %q, want %q", c.tool, c.arguments, results[min(i, len(results)):min(i+1, len(results))], c.want)
		}
	}
	if progress == 0 {
		t.Error("no progress was reported")
	}
	p()
	if left := running(os.Getenv("SIDESTICK_MCP_PEERS")); len(left) > 0 {
		t.Errorf("these processes are left: %q", left)
	}
}

// peerCall is a call of a tool, and a part of its result.
type peerCall struct{ tool, arguments, want string }

// callsIn are calls of all servers; work is the folder that one of them may use.
func callsIn(work string) []peerCall {
	return []peerCall{
		{"files-read_text_file", `{"path":"` + filepath.Join(work, "a.txt") + `"}`, "hello from a file"},
		{"files-write_file", `{"path":"` + filepath.Join(work, "b.txt") + `","content":"written"}`, "Successfully wrote"},
		{"files-list_directory", `{"path":"` + work + `"}`, "b.txt"},
		{"files-read_text_file", `{"path":"/etc/passwd"}`, "outside allowed directories"},
		{"memory-create_entities", `{"entities":[{"name":"Ann","entityType":"person","observations":["likes tea"]}]}`, "Ann"},
		{"memory-search_nodes", `{"query":"tea"}`, "likes tea"},
		{"memory-read_graph", `{}`, "Ann"},
		{"everything-echo", `{"message":"hi"}`, "hi"},
		{"everything-get-sum", `{"a":19,"b":23}`, "42"},
		{"everything-get-tiny-image", `{}`, `"mimeType":"image/png"`},
		{"everything-get-structured-content", `{"location":"New York"}`, `"structuredContent":{`},
		{"everything-trigger-long-running-operation", `{"duration":2,"steps":4}`, "completed"},
		{"thinking-sequentialthinking", `{"thought":"one","thoughtNumber":1,"totalThoughts":2,"nextThoughtNeeded":true}`, "thoughtHistoryLength"},
	}
}

// plain is the text in a result as the model reads it.
func plain(result string) string {
	var d struct{ Result struct{ Content string } }
	_ = json.Unmarshal([]byte(result), &d) // it is searched as it is, too
	return d.Result.Content
}

// opened returns a session of a runtime in this process, on a model that follows a script, and what
// ends both.
func opened(t *testing.T, script []modeltest.Reply, params map[string]any) (end func(), s *client.Session) {
	t.Helper()
	model := modeltest.NewServer(script...)
	t.Cleanup(model.Close)
	env := map[string]string{"SIDESTICK_HOME": t.TempDir(), "OPENAI_BASE_URL": model.URL(), "SIDESTICK_MODEL": "test-model"}
	cfg, err := config.Load(config.Flags{AllowAll: true}, func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	p, err := wiring.Build(cfg, cli.System{Stderr: &logs, Getenv: os.Getenv}, wiring.Adjust{})
	if err != nil {
		t.Fatal(err)
	}
	c, hangUp := p.Dial()
	end = func() {
		hangUp()
		if err := p.Close(); err != nil {
			t.Errorf("%v: %s", err, logs.String())
		}
	}
	if err := c.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s, err = c.CreateSession(t.Context(), client.Config{Params: params}); err != nil {
		t.Fatal(err)
	}
	return end, s
}

// running are the command lines of the processes that name a folder.
func running(folder string) (lines []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		text, _ := os.ReadFile(path) // the process may have ended
		if bytes.Contains(text, []byte(folder)) {
			lines = append(lines, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return lines
}
