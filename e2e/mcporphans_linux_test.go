package e2e_test

import (
	"bytes"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

var mcpSessions = flag.Int("mcp.sessions", 30, "how many `sessions` with MCP servers TestNoMCPServerIsLeft opens")

// mark is a variable by which the processes of a test are found.
const mark = "SIDESTICK_E2E_MCP_MARK"

// wave is a number of sessions in one runtime, and how they end.
type wave struct {
	t       *testing.T
	mark    string
	size    int // how many sessions are open at a time
	model   *modeltest.Server
	most    int // processes of servers that were seen at a time
	missing int // sessions whose servers did not work
}

// Whatever ends sessions with MCP servers, no process of a server is left: the client closes or
// deletes them, its connection ends, the runtime is terminated, or killed while sessions are idle
// or while their servers are starting. Each fourth server ignores its end and starts a program that
// loses its parent.
func TestNoMCPServerIsLeft(t *testing.T) {
	w := &wave{t: t, mark: rand.Text(), size: min(max(*mcpSessions/40, 6), 25), model: script(t,
		modeltest.Reply{When: func(r *modeltest.Request) bool { return r.Last().Role == "user" }, Repeat: true, ToolCalls: []modeltest.ToolCall{{Name: "test-count", Arguments: "{}"}}},
		modeltest.Reply{Repeat: true, Text: "Done."},
	)}
	ends := []func(*process, *copilot.Client, []*talk){w.closed, w.disconnected, w.terminated, w.killed, nil}
	for i := 0; i*w.size < *mcpSessions; i++ {
		s := serve(t, t.TempDir())
		c := s.client(t)
		end := ends[i%len(ends)]
		talks := w.open(c, i*w.size, end != nil)
		if w.most = max(w.most, len(marked(w.mark))); end == nil {
			end = w.killed // while servers are starting
		}
		end(s, c, talks)
		w.none(i)
		c.ForceStop()
		s.kill()
		w.none(i)
	}
	if w.most < w.size || w.missing > 0 {
		t.Errorf("at most %d processes of servers were seen, and %d calls of their tools failed", w.most, w.missing)
	}
	t.Logf("%d sessions; at most %d processes of servers at a time, and none at the end of each wave", *mcpSessions, w.most)
}

// open opens the sessions of a wave, and calls a tool of the server in each if use is set.
func (w *wave) open(c *copilot.Client, from int, use bool) []*talk {
	talks := make([]*talk, w.size)
	var opening sync.WaitGroup
	var mu sync.Mutex // guards missing
	for i := range talks {
		opening.Go(func() {
			server := testServer().(copilot.MCPStdioServerConfig)
			server.Env[mark] = w.mark
			if i%4 == 0 {
				server.Env[stubborn] = "1"
			}
			e := newEar()
			s, err := c.CreateSession(soon(w.t), &copilot.SessionConfig{
				SessionID: fmt.Sprintf("s%d", from+i), Provider: at(w.model), OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnEvent: e.hear,
				MCPServers: map[string]copilot.MCPServerConfig{"test": server}, AvailableTools: []string{"mcp:*"},
			})
			if err != nil {
				w.t.Errorf("CreateSession: %v", err)
				return
			}
			talks[i] = &talk{s, e, w.t}
			if !use {
				return
			}
			_, err = s.SendPromptAndWait(soon(w.t), "Count.")
			counted := false
			for _, d := range all[*copilot.ToolExecutionCompleteData](e.events()) {
				counted = counted || d.Success && strings.Contains(d.Result.Content, "counted")
			}
			if err != nil || !counted {
				mu.Lock()
				defer mu.Unlock()
				w.missing++
				w.t.Logf("%s: %v, %v", s.SessionID, err, types(e.events()))
			}
		})
	}
	opening.Wait()
	return talks
}

// closed ends the sessions one by one. The runtime goes on.
func (w *wave) closed(_ *process, c *copilot.Client, talks []*talk) {
	for i, s := range talks {
		err := s.Disconnect()
		if i%2 == 0 && err == nil {
			err = c.DeleteSession(soon(w.t), s.SessionID)
		}
		if err != nil {
			w.t.Error(err)
		}
	}
}

// disconnected drops the connection. The runtime goes on.
func (w *wave) disconnected(_ *process, c *copilot.Client, _ []*talk) { c.ForceStop() }

func (w *wave) terminated(s *process, _ *copilot.Client, _ []*talk) {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it is running
	<-s.exited
}

func (w *wave) killed(s *process, _ *copilot.Client, _ []*talk) { s.kill() }

// none waits until no process of a server is left.
func (w *wave) none(number int) {
	w.t.Helper()
	late := time.After(patience)
	for {
		left := marked(w.mark)
		if len(left) == 0 {
			return
		}
		select {
		case <-late:
			w.t.Fatalf("wave %d: these processes are left: %q", number, left)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// marked are the command lines of the processes with a mark.
func marked(text string) (lines []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range list {
		environ, _ := os.ReadFile(path) // the process may have ended, or be another user's
		if bytes.Contains(environ, []byte(mark+"="+text)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}
