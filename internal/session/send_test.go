package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestAttachmentsAreKeptVerbatim(t *testing.T) {
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
	}, modeltest.Reply{Text: "hello"})
}

func TestAbort(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		wait  wire.EventType
	}{
		{"before the model answers", modeltest.Reply{Silent: true}, "assistant.turn_start"},
		{"while it streams", modeltest.Reply{Text: "word by word by word", Piece: 3, StallAfter: 4}, "assistant.message_delta"},
		{"while a tool runs", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}}, "external_tool.requested"},
		{"while the user is asked", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, "permission.requested"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools("lookup", "ask"))
				s.send("go")
				e := s.until(tc.wait)
				synctest.Wait()
				for range 2 { // twice is fine
					if err := s.s.Abort(context.Background(), ""); err != nil {
						t.Fatalf("Abort: %v", err)
					}
				}
				idle := s.until("session.idle")
				events := s.rest()
				if field(idle, "aborted") != "true" || count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want one idle with aborted set, last:\n%s", types(events))
				}
				if count(events, "abort") != 1 || count(events, "session.error") != 0 {
					t.Errorf("want one abort and no error:\n%s", types(events))
				}
				if a, b := count(events, "tool.execution_start"), count(events, "tool.execution_complete"); a != b {
					t.Errorf("%d calls started, %d completed", a, b)
				}
				if count(events, "permission.requested") != count(events, "permission.completed") {
					t.Errorf("the question was left open:\n%s", types(events))
				}
				if tc.wait == "external_tool.requested" && s.reply(field(e, "requestId"), `"result":"late"`) {
					t.Error("a late answer was taken")
				}
				d.model.Add(modeltest.Reply{Text: "fine"})
				s.send("next")
				s.until("session.idle")
				if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "fine" {
					t.Errorf("after the abort the model's answer was %q", got)
				}
				if strings.Contains(tc.name, "tool") && !strings.Contains(d.conversation(), "tool: The execution of this tool, or a previous tool was interrupted.\nuser: next\n") {
					t.Errorf("the model read:\n%s", d.conversation())
				}
			}, tc.reply)
		})
	}
}

func TestMessagesWaitForTheRunOrSteerIt(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools("lookup"))
		s.send("one")
		e := s.until("external_tool.requested")
		s.send("three") // in the queue
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.reply(field(e, "requestId"), `"result":"r"`)
		s.until("session.idle")
		if n := count(s.rest(), "session.idle"); n != 1 {
			t.Errorf("%d idles, want one when the queue is empty", n)
		}
		want := "user: one\nassistant: [lookup {\"q\":\"x\"}]\ntool: r\nuser: two\nassistant: to both\nuser: three\n"
		if got := d.conversation(); got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"x"}`)}},
		modeltest.Reply{Text: "to both"}, modeltest.Reply{Text: "to three"},
	)
}

func TestSendRefusesWhatItCannotUse(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		for _, p := range []wire.Send{
			{Prompt: "x", Mode: "later"}, {Prompt: "x", Attachments: []byte(`{"type":"file"}`)}, {Prompt: "x", Attachments: []byte(`[1]`)},
		} {
			if _, err := s.s.Send(context.Background(), p); fault.KindOf(err) != fault.Invalid {
				t.Errorf("Send(%+v) = %v, want an invalid request", p, err)
			}
		}
		if n := count(s.rest(), "user.message"); n != 0 {
			t.Errorf("%d messages were recorded", n)
		}
	})
}

func TestAnAbortDropsWhatWaits(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start")
		s.send("two")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "three", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		if err := s.s.Abort(context.Background(), "user_abort"); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if n := count(s.rest(), "user.message"); n != 1 {
			t.Errorf("%d messages were taken up, want the one that was under way", n)
		}
		if got := field(last(t, s.told, "abort"), "reason"); got != "user_abort" {
			t.Errorf("the reason is %q", got)
		}
	}, modeltest.Reply{Silent: true})
}

func TestAMessageThatCameTooLateToSteerGoesFirst(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("one")
		s.until("assistant.turn_start") // the only turn: nothing comes to be steered after it
		s.send("three")
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "two", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: one\nassistant: x\nuser: two\nassistant: x\nuser: three\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, modeltest.Reply{Text: "x", Delay: 1e9, Repeat: true})
}

func TestAnAgentModeThatIsNoneIsRefused(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		_, err := s.s.Send(context.Background(), wire.Send{Prompt: "hi", AgentMode: "turbo"})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), `"interactive", "plan", "autopilot" or "shell"`) {
			t.Errorf("Send = %v, want Invalid with the choices", err)
		}
		if n := count(s.rest(), "user.message"); n != 0 {
			t.Errorf("%d messages were recorded", n)
		}
	})
}

// A client learns that its message was accepted before the description of the session is on disk:
// otherwise a slow disk delays the answer. The time is real, because writers that wait for each
// other stop that of a bubble.
func TestAMessageIsAcceptedBeforeTheSessionIsDescribed(t *testing.T) {
	var slow atomic.Bool
	written := make(chan struct{})
	disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if slow.Load() && op.Name == "write" && strings.Contains(op.Path, "workspace.yaml") {
			<-written
		}
		return nil
	})
	d := &desk{t: t, fs: disk, model: modeltest.NewServer(modeltest.Reply{Text: "hello"})}
	defer d.model.Close()
	d.start(registry.Options{})
	defer d.stop()
	defer close(written)
	s := d.create(wire.Config{SessionID: "s1"})
	slow.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := s.s.Send(ctx, wire.Send{Prompt: "hello"}); err != nil || ctx.Err() != nil {
		t.Errorf("Send = %v while the description is being written, and its time ended (%v); want that the message is accepted at once", err, ctx.Err())
	}
}
