package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// openQuestion is a call of the model for which a run waits, and how a client answers it.
type openQuestion struct {
	tool, arguments string
	params          map[string]any // of the session
	event           wire.EventType // it asks the client
	method          string         // of the answer
	answer          map[string]any // without the id of the request
	once            bool           // the request is not sent again: the client answers it under its old id
	want            string         // in what the model reads
}

// openQuestions are the questions for which a run can wait.
var openQuestions = map[string]openQuestion{
	"ask_user": {
		tool: "ask_user", arguments: `{"question":"Which colour?","choices":["blue","red"]}`,
		params: map[string]any{"requestUserInput": true}, event: "user_input.requested",
		method: "session.ui.handlePendingUserInput", answer: map[string]any{"response": map[string]any{"answer": "blue", "wasFreeform": false}}, want: "blue",
	},
	"a form": {
		tool: "ask_user", arguments: `{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`,
		params: map[string]any{"requestElicitation": true, "askUserVariant": "elicitation"}, event: "elicitation.requested",
		method: "session.ui.handlePendingElicitation",
		answer: map[string]any{"result": map[string]any{"action": "accept", "content": map[string]any{"name": "Mona"}}}, want: "Mona",
	},
	"a plan": {
		tool: "exit_plan_mode", arguments: `{"summary":"We do it."}`,
		params: map[string]any{"requestExitPlanMode": true}, event: "exit_plan_mode.requested",
		method: "session.ui.handlePendingExitPlanMode",
		answer: map[string]any{"response": map[string]any{"approved": true, "selectedAction": "interactive"}}, want: "approved",
	},
	"a permission request": {
		tool: "bash", arguments: `{"command":"echo al''lowed","description":"d"}`,
		params: map[string]any{"requestPermission": true}, event: "permission.requested",
		method: "session.permissions.handlePendingPermissionRequest", answer: map[string]any{"result": map[string]any{"kind": "approve-once"}}, want: "allowed",
	},
	"a permission request that waits for a client": {
		tool: "bash", arguments: `{"command":"echo al''lowed","description":"d"}`,
		params: map[string]any{"pendingPermissions": "wait"}, event: "permission.requested",
		method: "session.permissions.handlePendingPermissionRequest", answer: map[string]any{"result": map[string]any{"kind": "approve-once"}}, want: "allowed",
	},
	"a client's tool": {
		tool: "look", arguments: `{}`,
		params: map[string]any{"tools": []map[string]any{{"name": "look", "skipPermission": true}}}, event: "external_tool.requested",
		method: "session.tools.handlePendingToolCall", answer: map[string]any{"result": "a tree"}, want: "a tree", once: true,
	},
}

// pipes are the standard input and output of a process, as one connection.
type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return p.WriteCloser.Close() }

// life is one life of a server, with a client.
type life struct {
	*process
	c *client.Client
	s *client.Session
}

// born starts a server and connects a client, which answers nothing by itself.
func born(t *testing.T, home string, args ...string) *life {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir, cmd.Stderr = environment(home), home, new(bytes.Buffer)
	l := &life{}
	var conn io.ReadWriteCloser
	if slices.Contains(args, "--stdio") {
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, out2, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = out2
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = out2.Close() // the process has its own
		l.process = &process{cmd: cmd, exited: make(chan struct{})}
		go func() {
			defer close(l.exited)
			_ = cmd.Wait() // it may have been killed
		}()
		t.Cleanup(l.kill)
		conn = pipes{out, in}
	} else {
		l.process = listening(t, cmd)
		sock, err := net.Dial("tcp", l.url)
		if err != nil {
			t.Fatal(err)
		}
		conn = sock
	}
	l.c = client.New(conn, client.Options{Asked: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		<-ctx.Done() // the test answers
		return nil, ctx.Err()
	}})
	t.Cleanup(func() { _ = l.c.Close() }) // it may have broken with the server
	if err := l.c.Connect(soon(t), ""); err != nil {
		t.Fatal(err)
	}
	return l
}

// until returns the next event of a type.
func (l *life) until(t *testing.T, typ wire.EventType) wire.Event {
	t.Helper()
	for ctx := soon(t); ; {
		e, err := l.s.Next(ctx)
		if err != nil {
			t.Fatalf("%s did not come: %v", typ, err)
		}
		if e.Type == typ {
			return e
		}
	}
}

// A question that is open when a server is asked to end, or its client closes stdin, is open for the next
// server, as after kill -9: it is asked again, its answer goes to the model, and nothing is recorded as
// interrupted.
func TestAnOpenQuestionSurvivesTheEndOfTheServer(t *testing.T) {
	term := func(l *life) { _ = l.cmd.Process.Signal(syscall.SIGTERM) }
	for name, way := range map[string]struct {
		args []string
		end  func(*life)
	}{
		"SIGTERM over stdio":         {[]string{"--headless", "--stdio"}, term},
		"the end of stdin":           {[]string{"--headless", "--stdio"}, func(l *life) { _ = l.c.Close() }},
		"SIGTERM over TCP":           {[]string{"--headless"}, term},
		"SIGTERM of serve":           {[]string{"serve"}, term},
		"SIGHUP of serve over stdio": {[]string{"serve", "--stdio"}, func(l *life) { _ = l.cmd.Process.Signal(syscall.SIGHUP) }},
		"kill -9":                    {[]string{"--headless"}, (*life).kill},
	} {
		for what, q := range openQuestions {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				q.survives(t, way.args, way.end)
			})
		}
	}
}

func (q openQuestion) survives(t *testing.T, args []string, end func(*life)) {
	model, home := script(t, call(q.tool, q.arguments), say("done")), t.TempDir()
	config := client.Config{ID: "s1", Params: maps.Clone(q.params)}
	config.Params["provider"] = map[string]any{"baseUrl": model.URL() + "/v1", "modelId": "test-model"}
	first := born(t, home, args...)
	var err error
	if first.s, err = first.c.CreateSession(soon(t), config); err != nil {
		t.Fatal(err)
	}
	if q.tool == "exit_plan_mode" {
		if err := first.c.Call(soon(t), "session.mode.set", map[string]any{"sessionId": "s1", "mode": "plan"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.s.Send(soon(t), "Go."); err != nil {
		t.Fatal(err)
	}
	asked := first.until(t, q.event)
	end(first)
	select {
	case <-first.exited:
	case <-soon(t).Done():
		t.Fatal("the server has not ended")
	}

	second := born(t, home, args...)
	config.Params["continuePendingWork"] = true
	if second.s, err = second.c.ResumeSession(soon(t), config); err != nil {
		t.Fatal(err)
	}
	if !q.once {
		asked = second.until(t, q.event)
	}
	params := maps.Clone(q.answer)
	params["sessionId"], params["requestId"] = "s1", wire.Raw(asked.Data).Get("requestId").Text()
	var taken struct{ Success bool }
	if err := second.c.Call(soon(t), q.method, params, &taken); err != nil || !taken.Success {
		t.Fatalf("the answer was not taken: %v", err)
	}
	second.until(t, "session.idle")
	if got := lastRequest(t, model).Last(); got.Role != "tool" || !strings.Contains(got.Content, q.want) {
		t.Errorf("the model read %q, want %q in it", got.Content, q.want)
	}
	var log struct{ Events []wire.Event }
	if err := second.c.Call(soon(t), "session.getMessages", map[string]any{"sessionId": "s1"}, &log); err != nil {
		t.Fatal(err)
	}
	ends := 0
	for _, e := range log.Events {
		switch {
		case e.Type == "abort", e.Type == "session.error", e.Type == "session.shutdown", strings.Contains(string(e.Data), `"interrupted"`):
			t.Errorf("the log has %s %s", e.Type, e.Data)
		case e.Type == "tool.execution_complete":
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the call has ended %d times", ends)
	}
}
