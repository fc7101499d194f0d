package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// echo is a shell that says what it was told to run, if it was allowed.
type echo struct{}

func (echo) Definition() tool.Definition {
	return tool.Definition{Name: "bash", Source: tool.Builtin}
}

func (echo) Request(context.Context, tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{Kind: permit.Shell, Tool: "bash"}, nil
}

func (echo) Run(_ context.Context, c tool.Call) tool.Result {
	if c.Permitted == nil {
		return tool.Result{Outcome: tool.Failure, Text: "not allowed"}
	}
	return tool.Result{Outcome: tool.Success, Text: "ran " + string(c.Arguments)}
}

// A command that a person types is run at once, asks nobody, and is read by the model
// with the next message.
func TestACommandOfAPerson(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{echo{}}} }
	bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "ls -l", AgentMode: "shell"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if len(d.model.Requests()) != 0 || count(s.told, "permission.requested") != 0 {
			t.Errorf("a model or a person was asked:\n%s", types(s.told))
		}
		done := last(t, s.told, "tool.execution_complete")
		if field(done, "isUserRequested") != "true" || !strings.Contains(field(done, "result", "content"), "ls -l") {
			t.Errorf("the command came to %s", done.Data)
		}
		d.stop()
		d.start(session.Options{})
		s = d.resume(wire.Config{SessionID: "s1"})
		s.send("And?")
		s.until("session.idle")
		want := "user: The user ran a command in the shell:\n$ ls -l\nran {\"command\":\"ls -l\",\"description\":\"A command of the user\"}\nuser: And?\n"
		if diff := cmp.Diff(want, d.conversation()); diff != "" {
			t.Errorf("conversation (-want +got):\n%s", diff)
		}
		checkChain(t, d.stored("s1"))
	}, modeltest.Reply{Text: "ok"})
}
