package session_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestAResumedSessionGoesOnWhereItWas(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "big", WorkingDirectory: "/there"})
		s.send("My name is Ada.")
		s.until("session.idle")
		before := persisted(s.rest())
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.s.Closed():
		default:
			t.Error("the last client is out, and the session is still in memory")
		}

		s = d.resume(wire.Config{SessionID: "s1"})
		events := s.rest()
		if events[0].Type != "session.resume" || len(events) != 1 {
			t.Errorf("the client that resumed received:\n%s\nwant only its own resume", types(events))
		}
		if got := field(events[0], "sessionWasActive"); got != "false" {
			t.Errorf("sessionWasActive is %s", got)
		}
		s.send("What is my name?")
		s.until("session.idle")
		if got, want := d.conversation(), "user: My name is Ada.\nassistant: Hello Ada.\nuser: What is my name?\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		if got := d.model.Requests()[1].Model; got != "big" {
			t.Errorf("the model asked is %q, want the one of before", got)
		}
		stored := d.stored("s1")
		if diff := cmp.Diff(before, stored[:len(before)]); diff != "" {
			t.Errorf("the history changed (-before +after):\n%s", diff)
		}
		checkChain(t, stored)
	}, modeltest.Reply{Text: "Hello Ada."}, modeltest.Reply{Text: "Ada."})
}

func TestAShutdownIsTheLastEventOfALog(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if err := s.s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		stored := d.stored("s1")
		e := stored[len(stored)-1]
		if e.Type != "session.shutdown" || field(e, "shutdownType") != "routine" || field(e, "modelMetrics", "m", "requests", "count") != "1" {
			t.Errorf("the log ends with %s %s", e.Type, e.Data)
		}
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "x"}); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "not found") {
			t.Errorf("Send after Close = %v", err)
		}
	}, modeltest.Reply{Text: "hello"})
}

func TestCallsThatACrashLeftOpenAreClosedByAResume(t *testing.T) {
	for _, tc := range []struct{ name, tool string }{{"a tool was running", "lookup"}, {"the user was asked", "ask"}} {
		t.Run(tc.name, func(t *testing.T) {
			disk := vfs.NewMem()
			inBubble(t, disk, func(d *desk) {
				s := d.create(tools("lookup", "ask"))
				s.send("go")
				synctest.Wait()
				old := last(t, s.rest(), map[string]wire.EventType{"lookup": "external_tool.requested", "ask": "permission.requested"}[tc.tool])
				d.crash()

				s = d.resume(tools("lookup", "ask"))
				if s.reply(field(old, "requestId"), `"result":"late"`) {
					t.Error("a late answer was taken")
				}
				stored := d.stored("s1")
				if a, b := count(stored, "tool.execution_start"), count(stored, "tool.execution_complete"); a != 1 || b != 1 {
					t.Errorf("%d calls started, %d completed:\n%s", a, b, types(stored))
				}
				if count(stored, "permission.requested") != count(stored, "permission.completed") {
					t.Errorf("the question was left open:\n%s", types(stored))
				}
				if count(stored, "assistant.turn_start") != count(stored, "assistant.turn_end") {
					t.Errorf("the turn was left open:\n%s", types(stored))
				}
				if n := len(d.model.Requests()); n != 1 {
					t.Errorf("the resume asked the model")
				}
				s.send("next")
				s.until("session.idle")
				if got := d.conversation(); !strings.Contains(got, "tool: The execution of this tool, or a previous tool was interrupted.\nuser: next\n") {
					t.Errorf("the model read:\n%s", got)
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", tc.tool, `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestAWaitingCallIsAnsweredWithoutItsTool(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("go")
		synctest.Wait()
		old := last(t, s.rest(), "external_tool.requested")
		d.crash()

		s = d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: true}) // brings no tools
		synctest.Wait()
		if !s.reply(field(old, "requestId"), `"result":"after all"`) {
			t.Error("the answer under the old id was not taken")
		}
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "tool: after all\n") {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
}

func TestAQuestionIsAskedAgainWithoutItsTool(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		synctest.Wait()
		old := last(t, s.rest(), "permission.requested")
		d.crash()

		s = d.resume(wire.Config{SessionID: "s1", ContinuePendingWork: true, RequestPermission: yes()}) // brings no tools
		s.until("permission.requested")
		if ok, err := s.s.Permissions().Answer(context.Background(), field(old, "requestId"), permit.Answer{Outcome: permit.Rejected}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.until("session.idle")
		if stored := d.stored("s1"); count(stored, "permission.requested") != 1 || count(stored, "permission.completed") != 1 {
			t.Errorf("want one question and one answer:\n%s", types(stored))
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}})
}

func TestPendingWorkGoesOnAfterACrashIfTheClientWantsIt(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(tools("lookup", "ask"))
		s.send("go")
		synctest.Wait()
		events := s.rest()
		tool, question := last(t, events, "external_tool.requested"), last(t, events, "permission.requested")
		d.crash()

		cfg := tools("lookup", "ask")
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		again := last(t, s.rest(), "permission.requested")
		if field(again, "requestId") != field(question, "requestId") || !again.Ephemeral {
			t.Errorf("the question was not asked again under its id: %s", again.Data)
		}
		if count(s.told, "external_tool.requested") != 0 {
			t.Error("the call was handed out again; its client may have acted on it")
		}
		if ok, err := s.s.Permissions().Answer(context.Background(), field(question, "requestId"), permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.answer(`"result":"asked"`)
		if !s.reply(field(tool, "requestId"), `"result":"looked up"`) {
			t.Error("the answer under the old id was not taken")
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: go\nassistant: [lookup {\"q\":\"1\"}][ask {\"q\":\"2\"}]\ntool: looked up\ntool: asked\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		checkChain(t, persisted(d.stored("s1")))
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`), call("c2", "ask", `{"q":"2"}`)}},
		modeltest.Reply{Text: "ok"},
	)
}

func TestAResumeInAnotherDirectoryMovesTheSession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", WorkingDirectory: "/a"})
		s.send("hi")
		s.until("session.idle")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = d.resume(wire.Config{SessionID: "s1", WorkingDirectory: "/b"})
		if e := last(t, s.rest(), "session.context_changed"); field(e, "cwd") != "/b" {
			t.Errorf("session.context_changed is %s", e.Data)
		}
		s.send("where?")
		s.until("session.idle")
		if e := last(t, s.rest(), "system.message"); !strings.Contains(field(e, "content"), "Current working directory: /b") {
			t.Errorf("the model was not informed: %s", e.Data)
		}
	}, modeltest.Reply{Text: "hello"}, modeltest.Reply{Text: "there"})
}
