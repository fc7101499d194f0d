package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// echo is a shell that prints the command that it gets, if that was approved.
type echo struct{}

func (echo) Definition() tool.Definition {
	return tool.Definition{Name: "bash", Origin: tool.Builtin}
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

// A command of the user runs at once, needs no approval, and is read by the model
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
			t.Errorf("a model or the user was asked:\n%s", types(s.told))
		}
		done := last(t, s.told, "tool.execution_complete")
		if field(done, "isUserRequested") != "true" || !strings.Contains(field(done, "result", "content"), "ls -l") {
			t.Errorf("the command came to %s", done.Data)
		}
		d.stop()
		d.start(registry.Options{})
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

// stuck is a shell whose commands end when they are canceled, or panic.
type stuck struct{ echo }

func (stuck) Run(ctx context.Context, c tool.Call) tool.Result {
	if strings.Contains(string(c.Arguments), "panic") {
		panic("the tool is broken")
	}
	<-ctx.Done()
	return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
}

// Each command that was started has an end event, also after a failure or a crash.
func TestACommandOfAPersonEnds(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{stuck{}}} }
	for _, tc := range []struct {
		name, command string
		meet          func(d *desk, s *seat)
		code          string
	}{
		{"aborted", "sleep 9", func(_ *desk, s *seat) {
			if err := s.s.Abort(context.Background(), ""); err != nil {
				t.Error(err)
			}
			if idle := s.until("session.idle"); field(idle, "aborted") != "true" || count(s.told, "session.error") != 0 {
				t.Errorf("idle is %s", idle.Data)
			}
		}, "interrupted"},
		{"crashed", "sleep 9", func(d *desk, _ *seat) { d.crash() }, "interrupted"},
		{"panicked", "panic", func(_ *desk, s *seat) { s.until("session.idle") }, "failure"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				if _, err := s.s.Send(context.Background(), wire.Send{Prompt: tc.command, AgentMode: "shell"}); err != nil {
					t.Fatal(err)
				}
				s.until("tool.user_requested")
				tc.meet(d, s)
				d.stop()
				d.start(d.opts)
				s = d.resume(wire.Config{SessionID: "s1"})
				if e := last(t, d.stored("s1"), "tool.execution_complete"); field(e, "error", "code") != tc.code || field(e, "isUserRequested") != "true" {
					t.Errorf("the command ended with %s", e.Data)
				}
				s.send("And?")
				s.until("session.idle")
				if !strings.Contains(d.conversation(), "$ "+tc.command) {
					t.Errorf("the model read\n%s", d.conversation())
				}
			}, modeltest.Reply{Text: "ok"})
		})
	}
}

// A command that was accepted and not begun when the process died is not run later, and
// not forgotten: the model reads that it was not run.
func TestACommandThatWasNotBegun(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{echo{}}} }
	command := wire.Send{Prompt: "make deploy", AgentMode: "shell"}
	for name, die := range map[string]func(d *desk, s *seat){
		"before it began": func(d *desk, s *seat) {
			s.queue(command)
			s.until("user.message")
			d.crash()
		},
		"while it waited": func(d *desk, s *seat) {
			s.send("look at it")
			s.until("external_tool.requested")
			s.queue(command)
			d.crash()
		},
	} {
		t.Run(name, func(t *testing.T) {
			slowly := func(op vfs.Op) error {
				if op.Name == "write" && strings.HasSuffix(op.Path, "events.jsonl") {
					return &vfs.Slow{For: time.Millisecond}
				}
				return nil
			}
			looks := func(r *modeltest.Request) bool {
				return strings.Contains(r.Messages[len(r.Messages)-1].Content, "look at it")
			}
			disk := vfs.NewMem()
			bubble(t, &desk{fs: vfs.Fail(disk, slowly), tools: shell}, func(d *desk) {
				s := d.create(tools("lookup"))
				d.fs = disk // from the next process on
				die(d, s)
				for range 2 { // the second finds nothing more to record
					d.resume(tools("lookup"))
					d.crash()
				}
				s = d.resume(tools("lookup"))
				s.send("And?")
				s.until("session.idle")
				if n := strings.Count(d.conversation(), "$ make deploy\nIt was not run: the process ended first.\n"); n != 1 {
					t.Errorf("the model reads it %d times:\n%s", n, d.conversation())
				}
				checkChain(t, persisted(d.stored("s1")))
			}, modeltest.Reply{When: looks, ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// A command is a run of its own, also if it was to reach a run under way at once.
func TestACommandDuringARun(t *testing.T) {
	shell := func(tool.Host) session.Toolbox { return session.Toolbox{Tools: []tool.Tool{echo{}}} }
	bubble(t, &desk{fs: vfs.NewMem(), tools: shell}, func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		e := s.until("external_tool.requested")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "ls", AgentMode: "shell", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.reply(field(e, "requestId"), `"result":"r"`)
		s.until("session.idle")
		if count(s.told, "tool.user_requested") != 1 {
			t.Errorf("the command was not run:\n%s", types(s.told))
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}
