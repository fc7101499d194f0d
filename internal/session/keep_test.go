package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
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
			t.Errorf("the client that came back was told:\n%s\nwant only that it is back", types(events))
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
	for _, tc := range []struct{ name, tool string }{{"a tool was running", "lookup"}, {"a person was asked", "ask"}} {
		t.Run(tc.name, func(t *testing.T) {
			disk := vfs.NewMem()
			inBubble(t, disk, func(d *desk) {
				s := d.create(tools("lookup", "ask"))
				s.send("go")
				synctest.Wait()
				old := last(t, s.rest(), map[string]wire.EventType{"lookup": "external_tool.requested", "ask": "permission.requested"}[tc.tool])
				d.crash(disk)

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

func TestPendingWorkGoesOnAfterACrashIfTheClientWantsIt(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(tools("lookup", "ask"))
		s.send("go")
		synctest.Wait()
		events := s.rest()
		tool, question := last(t, events, "external_tool.requested"), last(t, events, "permission.requested")
		d.crash(disk)

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
		if ok, err := s.s.AnswerPermission(context.Background(), field(question, "requestId"), permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
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

// crash kills the process and starts another on the same disk. Everything was
// written, as kill -9 leaves it; what power loss takes is the log's own test.
func (d *desk) crash(disk *vfs.Mem) {
	d.t.Helper()
	old := d.reg
	image := snapshot(d.t, disk, "/home/session-state/s1/events.jsonl")
	d.start(session.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := old.Close(ctx); err != nil { // the old process must not outlive the bubble
		d.t.Errorf("Close: %v", err)
	}
	if err := vfs.WriteFileAtomic(disk, "/home/session-state/s1/events.jsonl", image, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func snapshot(t *testing.T, fsys vfs.FS, name string) []byte {
	t.Helper()
	b, err := fsys.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestADiskThatFailsNeverHangsARun fails each write in turn: the command that
// needed it says so, or the run ends with an error and exactly one idle.
func TestADiskThatFailsNeverHangsARun(t *testing.T) {
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("write %d", n), func(t *testing.T) {
			failing := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
				if op.Name == "write" && op.N >= n {
					hit = true
					return syscall.ENOSPC
				}
				return nil
			})
			inBubble(t, failing, func(d *desk) {
				c, err := d.reg.Create(context.Background(), tools("lookup"))
				if err != nil {
					if fault.KindOf(err) != fault.Unavailable {
						t.Errorf("Create = %v, want unavailable", err)
					}
					return
				}
				s := d.sit(c)
				if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "go"}); err != nil {
					if !strings.Contains(err.Error(), "no space") {
						t.Errorf("Send = %v, want it to say that there is no space", err)
					}
					return
				}
				synctest.Wait()
				if e := s.rest(); count(e, "external_tool.requested") == 1 {
					s.reply(field(last(t, e, "external_tool.requested"), "requestId"), `"result":"r"`)
				}
				events := s.rest()
				if count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want exactly one idle, last:\n%s", types(events))
				}
				if hit && count(events, "session.error") != 1 {
					t.Errorf("want one error:\n%s", types(events))
				}
				if a, b := persisted(events), d.stored("s1"); len(a) != len(b) {
					t.Errorf("%d persisted events were told, %d are stored", len(a), len(b))
				}
			}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
		})
		if !hit {
			if n < 10 {
				t.Errorf("a run with a tool took %d writes; the test does not reach it", n-1)
			}
			return
		}
	}
}

func TestAnotherProcessThatWritesIsNoticed(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("session.idle")
		first := d.reg
		d.start(session.Options{})
		other := d.resume(wire.Config{SessionID: "s1"})
		other.send("two")
		other.until("session.idle")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "three"}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("Send of the first process = %v, want a conflict", err)
		}
		if err := first.Close(context.Background()); err != nil {
			t.Error(err)
		}
		checkChain(t, d.stored("s1"))
		if n := count(d.stored("s1"), "user.message"); n != 2 {
			t.Errorf("%d messages are stored, want those that were accepted", n)
		}
	}, modeltest.Reply{Text: "1"}, modeltest.Reply{Text: "2"})
}

func TestIDsThatCannotBe(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.create(wire.Config{SessionID: "s1"})
		for id, want := range map[string]fault.Kind{
			"s1": fault.Conflict, "../x": fault.Invalid, "a/b": fault.Invalid, `a\b`: fault.Invalid, "..": fault.Invalid,
			"a\x00b": fault.Invalid, "\xff": fault.Invalid, strings.Repeat("x", 201): fault.Invalid,
		} {
			if _, err := d.reg.Create(context.Background(), wire.Config{SessionID: id}); fault.KindOf(err) != want {
				t.Errorf("Create(%q) = %v, want %v", id, err, want)
			}
			if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: id + "x"}, nil); err == nil {
				t.Errorf("Resume(%q) succeeded", id+"x")
			}
		}
		if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "nobody"}, nil); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "not found") {
			t.Errorf("Resume of an unknown session = %v", err)
		}
		for _, id := range []string{"Größe 1", "user:42", "日本"} {
			d.create(wire.Config{SessionID: id})
		}
	})
}

func TestConfigurationsThatContradictThemselvesCreateNothing(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for name, cfg := range map[string]wire.Config{
			"a tool without a name":      {Tools: []wire.Tool{{}}},
			"two tools of one name":      {Tools: []wire.Tool{{Name: "a"}, {Name: "a"}}},
			"a provider without address": {Provider: &wire.Provider{}},
			"an address of another kind": {Provider: &wire.Provider{BaseURL: "ftp://x"}},
			"a dialect we do not speak":  {Provider: &wire.Provider{BaseURL: "http://x", Type: "anthropic"}},
			"a callback we do not make":  {Provider: &wire.Provider{BaseURL: "http://x", HasTokenSource: true}},
			"a registry of providers":    {Providers: []json.RawMessage{json.RawMessage(`{}`)}},
		} {
			cfg.SessionID = "s1"
			if _, err := d.reg.Create(context.Background(), cfg); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: Create = %v, want invalid", name, err)
			}
		}
		if _, err := d.fs.Stat("/home/session-state/s1"); err == nil {
			t.Error("something was stored")
		}
	})
}

func TestDelete(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		if m, err := d.reg.Metadata("s1"); m != nil || err != nil {
			t.Errorf("Metadata after Delete = %+v, %v", m, err)
		}
		if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Resume after Delete = %v", err)
		}
		if err := d.reg.Delete(context.Background(), "s1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a second Delete = %v", err)
		}
	}, modeltest.Reply{Text: "hello"})
}

func TestListShowsSessionsWithContentNewestFirst(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for _, id := range []string{"a", "empty", "b"} {
			s := d.create(wire.Config{SessionID: id, WorkingDirectory: "/" + id})
			if id == "empty" {
				continue
			}
			time.Sleep(time.Second) // fake: the list is sorted by time
			s.send("About " + id + "\nand more")
			s.until("session.idle")
		}
		list, err := d.reg.List(wire.SessionContext{})
		if err != nil || len(list) != 2 || list[0].SessionID != "b" || list[1].SessionID != "a" || list[0].Summary != "About b" {
			t.Errorf("List = %+v, %v", list, err)
		}
		if list, _ := d.reg.List(wire.SessionContext{Cwd: "/a"}); len(list) != 1 || list[0].SessionID != "a" {
			t.Errorf("List of /a = %+v", list)
		}
		if id, err := d.reg.LastID(); id != "b" || err != nil {
			t.Errorf("LastID = %s, %v", id, err)
		}
	}, modeltest.Reply{Text: "x", Repeat: true})
}

func TestAnUnusedSessionTimesOutButNotOneThatWaits(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		d.stop()
		d.start(session.Options{IdleTimeout: time.Minute})
		idle := d.create(wire.Config{SessionID: "idle"})
		cfg := tools("lookup")
		waiting := d.create(cfg)
		waiting.send("go")
		waiting.until("external_tool.requested")
		time.Sleep(59 * time.Second)
		idle.send("still here") // counts as activity
		idle.until("session.idle")
		time.Sleep(59 * time.Second)
		select {
		case <-idle.s.Closed():
			t.Error("a session that was used a minute ago timed out")
		default:
		}
		time.Sleep(2 * time.Minute)
		select {
		case <-idle.s.Closed():
		default:
			t.Error("an unused session did not time out")
		}
		select {
		case <-waiting.s.Closed():
			t.Error("a session that waits for an answer timed out")
		default:
		}
	},
		modeltest.Reply{When: modeltest.LastIs("go"), ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

func TestTwoClientsShareASession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		a := d.create(tools("lookup"))
		cfg := tools("other")
		b := d.resume(cfg)
		if got := field(b.rest()[0], "sessionWasActive"); got != "true" {
			t.Errorf("sessionWasActive is %s", got)
		}
		if _, err := d.reg.Resume(context.Background(), tools("lookup"), nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("a second client with the same tool: %v, want a conflict", err)
		}
		b.send("go")
		e := a.until("external_tool.requested")
		if !b.reply(field(e, "requestId"), `"result":"from b"`) {
			t.Error("a client that did not bring the tool cannot answer for it")
		}
		a.until("session.idle")
		b.until("session.idle")
		if diff := cmp.Diff([]string{"lookup", "other"}, d.model.Requests()[0].Tools); diff != "" {
			t.Errorf("tools on offer (-want +got):\n%s", diff)
		}
		if err := a.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		b.send("again")
		b.until("session.idle")
		if got := len(d.model.Requests()[2].Tools); got != 1 {
			t.Errorf("%d tools on offer after one client left", got)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

func TestARunOutlivesItsClientAndTheSessionLeavesAfterIt(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-s.s.Closed()
		if n := count(d.stored("s1"), "assistant.message"); n != 1 {
			t.Errorf("%d answers are stored, want the one that was under way", n)
		}
	}, modeltest.Reply{Text: "done", Delay: 10 * time.Second})
}

func TestNoModelIsAnErrorThatSaysWhatToDo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(session.Options{Provider: session.Provider{Missing: fault.New(fault.Invalid, "", "", "no model; do this")}})
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if e := last(t, s.rest(), "session.error"); field(e, "message") != "no model; do this" || field(e, "errorType") != "configuration" {
			t.Errorf("session.error is %s", e.Data)
		}
	})
}

func TestSwitchModelAndLog(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "a"})
		effort := "high"
		if err := s.s.SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "b", ReasoningEffort: &effort}); err != nil {
			t.Fatal(err)
		}
		e := last(t, s.rest(), "session.model_change")
		if field(e, "previousModel") != "a" || field(e, "newModel") != "b" || field(e, "reasoningEffort") != "high" {
			t.Errorf("session.model_change is %s", e.Data)
		}
		id, err := s.s.Log(context.Background(), wire.LogEntry{Message: "remark"})
		if err != nil || last(t, s.rest(), "session.info").ID != id {
			t.Errorf("Log = %s, %v", id, err)
		}
		s.send("hi")
		s.until("session.idle")
		if got := d.model.Requests()[0].Model; got != "b" {
			t.Errorf("the model asked is %q", got)
		}
	}, modeltest.Reply{Text: "hello"})
}

func TestAttachmentsAreKeptAndNotPassedOverInSilence(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		const sent = `[{"type":"file","path":"/a","displayName":"a","unknownField":{"z":1,"a":2}}]`
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "look", Attachments: []byte(sent)}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if e := last(t, s.rest(), "user.message"); !strings.Contains(string(e.Data), `"attachments":`+sent) {
			t.Errorf("the message is %s, want the attachments verbatim", e.Data)
		}
		last(t, s.told, "session.warning")
	}, modeltest.Reply{Text: "hello"})
}

func TestWhatIsTooLongHarmsNothingElse(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		huge := strings.Repeat("x", 65<<20)
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: huge}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Send of 65 MiB = %v, want an invalid request", err)
		}
		s.send("go")
		s.answer(`"result":"` + huge + `"`)
		s.until("session.idle")
		if got := d.conversation(); !strings.HasSuffix(got, "tool: The tool's result is too long to be kept. Ask for less of it.\n") {
			t.Errorf("the model read:\n%.300s", got)
		}
		if a, b := count(s.rest(), "tool.execution_start"), count(s.told, "tool.execution_complete"); a != 1 || b != 1 {
			t.Errorf("%d calls started, %d completed", a, b)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}}, modeltest.Reply{Text: "ok"})
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
			t.Errorf("the model was not told: %s", e.Data)
		}
	}, modeltest.Reply{Text: "hello"}, modeltest.Reply{Text: "there"})
}

func TestDamageIsRepairedAndToldOnce(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		const name = "/home/session-state/s1/events.jsonl"
		torn := append(snapshot(t, disk, name), "this is no event\n{\"type\":\"user.mess"...)
		if err := vfs.WriteFileAtomic(disk, name, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			s = d.resume(wire.Config{SessionID: "s1"})
			if err := s.client.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			want := min(i+1, 2) // what was cut, once; the line that stays, once
			if n := count(d.stored("s1"), "session.warning"); n > want || i == 0 && n != 1 {
				t.Errorf("after %d resumes there are %d warnings, want at most %d", i+1, n, want)
			}
		}
		s = d.resume(wire.Config{SessionID: "s1"})
		s.send("still there?")
		s.until("session.idle")
		if got, want := d.conversation(), "user: hi\nassistant: hello\nuser: still there?\n"; got != want {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{Text: "hello"}, modeltest.Reply{Text: "yes"})
}

// slowly makes each write take a second of fake time once it is switched on.
type slowly struct{ on atomic.Bool }

func (s *slowly) rule(op vfs.Op) error {
	if op.Name == "write" && s.on.Load() {
		time.Sleep(time.Second)
	}
	return nil
}

func TestTheLastDetachReturnsWhenTheLogIsClosed(t *testing.T) {
	slow := &slowly{}
	inBubble(t, vfs.Fail(vfs.NewMem(), slow.rule), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		slow.on.Store(true)
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-s.s.Closed():
		default:
			t.Error("another process that opened the log now would meet this one")
		}
	})
}

func TestASessionThatIsCreatedWhileTheServerEndsEndsWithIt(t *testing.T) {
	slow := &slowly{}
	slow.on.Store(true)
	inBubble(t, vfs.Fail(vfs.NewMem(), slow.rule), func(d *desk) {
		created := make(chan error, 1)
		go func() {
			_, err := d.reg.Create(context.Background(), wire.Config{SessionID: "s1"})
			created <- err
		}()
		synctest.Wait()
		d.stop()
		<-created
		time.Sleep(time.Minute)
		if stored := d.stored("s1"); stored[len(stored)-1].Type != "session.shutdown" {
			t.Errorf("the log ends with:\n%s", types(stored))
		}
	})
}

func TestAQuestionIsNotRepeatedToWhoHasItAlready(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		a := d.create(tools("ask"))
		a.send("go")
		a.until("permission.requested")
		d.resume(wire.Config{SessionID: "s1", RequestPermission: yes()})
		if n := count(a.rest(), "permission.requested"); n != 1 {
			t.Errorf("the first client was asked %d times", n)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"1"}`)}})
}

func TestAClientThatDoesNotReadMissesNoIdleAndNothingPersisted(t *testing.T) {
	const runs = 600 // more than a queue holds of events that may be dropped
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Streaming: yes()})
		slow, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range runs {
			s.send("hi")
			s.until("session.idle")
		}
		events := d.sit(slow).rest()
		if n := count(events, "session.idle"); n != runs {
			t.Errorf("%d idles reached the slow client, want %d", n, runs)
		}
		if n := count(events, "assistant.usage"); n == runs {
			t.Error("nothing was dropped: the test does not make the client late")
		}
		stored := d.stored("s1")
		if diff := cmp.Diff(stored[1:], persisted(events)); diff != "" { // it came after session.start
			t.Errorf("persisted events that reached the slow client (-stored +told):\n%.2000s", diff)
		}
	}, modeltest.Reply{Text: "hello", Repeat: true})
}
